import { ForwardState, type Forward } from '../../gen/lrs/v1/forwards_pb.js'
import { askSecret, secretIn } from '../ask-secret.ts'
import { command, type Declared, type Values } from '../command.ts'
import { confirmed } from '../confirm.ts'
import { Failed } from '../failed.ts'
import { filterFacts, keptFilterOf, type KeptOptions } from '../filter.ts'
import { gameIdOf } from '../name-game.ts'
import type { Session } from '../session.ts'
import { list, microTime, table, time, wordOf, type Shown } from '../show.ts'

const byGame = { '<game>': 'id or slug' }
const which = { '<forward>': 'its id, as "forwards list" shows it' }
/** Where, which and how: what `add` and `test` have in common. */
const target = {
  '--endpoint <url>': { about: 'xAPI endpoint of the other store, such as https://lrs.example/xapi', required: true },
  '--xapi <version>': { about: '1.0.3 or 2.0.0', default: '1.0.3' },
  '--user <name>': 'user name or key of the other store; without it the secret is a bearer token',
  '--secret-file <file>': 'file with the password or token in its first line; "-": stdin',
  '--no-secret': 'the other store asks for no credential',
} as const

const pausing = (paused: boolean, about: string, example: string): Declared =>
  command({
    about,
    takes: which,
    examples: [example],
    async run({ forwards }, { forward: forwardId }) {
      await forwards.pauseForward({ forwardId, paused })
      return { json: { forwardId, paused }, text: paused ? 'Paused.' : 'It goes on.' }
    },
  })

export const commands = {
  list: command({
    about: 'list forwards: what they have sent, and how far they are behind',
    takes: { '[game]': 'id or slug; default: all games' },
    examples: ['forwards list', 'forwards list blue-quiz --json'],
    async run(core, { game }) {
      const found = await core.forwards.listForwards({ gameId: game === undefined ? '' : await gameIdOf(core, game) })
      const text = table(found.forwards, 'There are no forwards.', {
        forward: ({ forwardId }) => forwardId,
        ...(game === undefined && { game: ({ gameId }: Forward) => gameId }),
        name: ({ settings }) => settings?.name ?? '',
        state: ({ state }) => wordOf(ForwardState, state),
        sent: ({ sent }) => sent,
        'set aside': ({ setAside }) => setAside,
        behind: ({ behindSeconds }) => (behindSeconds === 0n ? '' : `${behindSeconds} s`),
        problem: ({ problem }) => problem.slice(0, 60),
      })
      return { json: found, text }
    },
  }),
  add: command({
    about: 'add a forward, which begins to send; the password or token comes from a file or stdin',
    takes: byGame,
    options: {
      ...target,
      '--name <text>': 'name for people (default: the host)',
      '--since <time>': 'begin with what was stored after this time, as 2026-01-01T00:00:00Z; default: now',
      '--verb <iri>': 'only statements with this verb',
      '--activity <iri>': 'only statements about this activity',
      '--related': 'with --activity: find it anywhere in a statement',
      '--sandbox': 'statements of sandbox sessions, in place of those of learners',
      '--pseudonyms': 'replace learners by pseudonyms; attachments and signatures are left out',
      '--bare': 'with pseudonyms: leave out responses and extensions',
      '--attachments': 'send the contents of attachments',
    },
    examples: [
      'forwards add blue-quiz --endpoint https://lrs.school.example/xapi --user key --secret-file secret.txt',
      'forwards add blue-quiz --endpoint … --user key --since 2026-01-01T00:00:00Z --pseudonyms < secret.txt',
    ],
    async run(core, { game, since = '', ...options }, session) {
      const credential = await credentialOf(session, options)
      const settings = settingsOf(options)
      const gameId = await gameIdOf(core, game)
      const { forward } = await core.forwards.addForward({ gameId, settings, credential, since })
      return shown(forward!)
    },
  }),
  show: command({
    about: 'show a forward, and the statements that were set aside with the reasons',
    takes: which,
    examples: ['forwards show 0197…'],
    async run({ forwards }, { forward: forwardId }) {
      const found = await forwards.getForward({ forwardId })
      const refused = table(found.setAside, 'Nothing is set aside.', {
        'at (UTC)': ({ at }) => time(at),
        statement: ({ statementId }) => statementId || '-',
        'stored (UTC)': ({ stored }) => microTime(stored),
        why: ({ reason }) => reason,
      })
      return { json: found, text: `${shown(found.forward!).text}\n\n${refused}` }
    },
  }),
  set: command({
    about: 'change the target, its credential, or what is sent from now on; what is not given stays',
    takes: which,
    options: {
      '--endpoint <url>': 'another endpoint; it needs the credential again',
      '--xapi <version>': '1.0.3 or 2.0.0',
      '--user <name>': 'user name or key of the other store; "": the secret is a bearer token',
      '--secret-file <file>': 'file with a new password or token in its first line; "-": stdin',
      '--name <text>': 'name for people',
      '--verb <iri>': 'only statements with this verb; "": all',
      '--activity <iri>': 'only statements with this activity; "": all',
      '--related': 'find the activity anywhere in a statement',
      '--no-related': 'only as the object',
      '--pseudonyms': 'replace learners by pseudonyms; attachments and signatures are left out',
      '--no-pseudonyms': 'send learners as they are',
      '--bare': 'with pseudonyms: leave out responses and extensions',
      '--no-bare': 'send responses and extensions',
      '--attachments': 'send the contents of attachments',
      '--no-attachments': 'send no contents',
    },
    examples: ['forwards set 0197… --verb ""', 'forwards set 0197… --user key --secret-file secret.txt'],
    async run({ forwards }, { forward: forwardId, ...options }, session) {
      const { settings: old, user: before } = (await forwards.getForward({ forwardId })).forward!
      const { user = before, secretFile } = options
      const isGiven = options.user !== undefined || secretFile !== undefined
      const credential = isGiven ? await credentialOf(session, { user: user || undefined, secretFile }) : undefined
      const { forward } = await forwards.changeForward({
        forwardId,
        settings: {
          name: options.name ?? old!.name,
          endpoint: options.endpoint ?? old!.endpoint,
          version: options.xapi ?? old!.version,
          sandbox: old!.sandbox,
          ...keptFilterOf(options, old),
          pseudonyms: options.pseudonyms ?? old!.pseudonyms,
          bare: options.bare ?? old!.bare,
          attachments: options.attachments ?? old!.attachments,
        },
        credential,
      })
      return shown(forward!)
    },
  }),
  pause: pausing(true, 'stop sending; what is stored meanwhile waits', 'forwards pause 0197…'),
  resume: pausing(false, 'go on where it was paused', 'forwards resume 0197…'),
  'send-again': command({
    about: 'send again what was stored after a time; the ids stay the same, so nothing is doubled',
    takes: which,
    options: { '--since <time>': { about: 'ISO 8601, as 2026-01-01T00:00:00Z', required: true } },
    examples: ['forwards send-again 0197… --since 2026-01-01T00:00:00Z'],
    async run({ forwards }, { forward: forwardId, since }) {
      await forwards.sendAgain({ forwardId, since })
      return { json: { forwardId, since }, text: 'It goes back to this time, and sends again from there on.' }
    },
  }),
  retry: command({
    about: 'send the statements that were set aside once more',
    takes: which,
    examples: ['forwards retry 0197…'],
    async run({ forwards }, { forward: forwardId }) {
      await forwards.retrySetAside({ forwardId })
      return { json: { forwardId }, text: 'What was set aside is sent with the next batches.' }
    },
  }),
  remove: command({
    about: 'end a forward, and forget its credential and what was set aside',
    takes: which,
    options: { '--yes': 'do it without a question' },
    examples: ['forwards remove 0197… --yes'],
    async run({ forwards }, { forward: forwardId, yes }, session) {
      const { settings } = (await forwards.getForward({ forwardId })).forward!
      await confirmed(session, yes, `Remove the forward ${settings?.name} to ${settings?.endpoint}?`)
      await forwards.removeForward({ forwardId })
      return { json: { forwardId }, text: 'Removed. What the other store has, it keeps.' }
    },
  }),
  test: command({
    about: 'ask the other store whether endpoint and credential are right; stores nothing',
    takes: byGame,
    options: { ...target, '--sandbox': 'statements of sandbox sessions, as with add' },
    examples: ['forwards test blue-quiz --endpoint https://lrs.example/xapi --user key'],
    async run(core, { game, ...options }, session) {
      const credential = await credentialOf(session, options)
      const asked = { gameId: await gameIdOf(core, game), settings: settingsOf(options), credential }
      const found = await core.forwards.testForward(asked, { timeoutMs: 60_000 })
      const text = found.problem || 'The other store answers, and takes this credential.'
      return { json: found, text, fault: found.problem && 'It cannot be used like this.' }
    },
  }),
}

type Target = Values<typeof target>

/** Never an argument: other people on the machine see those. */
async function credentialOf(
  session: Session,
  { user, secretFile = '-', secret }: Pick<Target, 'user' | 'secretFile' | 'secret'>,
) {
  if (secret === false) return undefined
  const found = await (secretFile === '-'
    ? askSecret(session, 'Password or token of the other store (it is not shown):')
    : secretIn(secretFile))
  if (found === '') throw new Failed('The password or token is empty. Use --no-secret for a store without one.', 2)
  return user === undefined
    ? { kind: { case: 'bearer' as const, value: found } }
    : { kind: { case: 'basic' as const, value: { user, password: found } } }
}

interface Chosen extends Target, KeptOptions {
  readonly name?: string
  readonly sandbox?: boolean
  readonly pseudonyms?: boolean
  readonly bare?: boolean
  readonly attachments?: boolean
}

const settingsOf = (options: Chosen) => ({
  name: options.name ?? (URL.parse(options.endpoint)?.host || options.endpoint).slice(0, 100),
  endpoint: options.endpoint,
  version: options.xapi,
  sandbox: options.sandbox ?? false,
  ...keptFilterOf(options),
  pseudonyms: options.pseudonyms ?? false,
  bare: options.bare ?? false,
  attachments: options.attachments ?? false,
})

function shown(forward: Forward): Shown {
  const { forwardId, gameId, settings, user, state, through, behindSeconds, sent, setAside, problem } = forward
  const text = list({
    forward: forwardId,
    game: gameId,
    name: settings!.name,
    endpoint: settings!.endpoint,
    xAPI: settings!.version,
    user,
    of: settings!.sandbox ? 'the sandbox' : 'learners',
    ...filterFacts(settings!),
    pseudonyms: settings!.pseudonyms ? `yes${settings!.bare ? ', without responses and extensions' : ''}` : '',
    attachments: settings!.attachments ? 'with their contents' : '',
    state: wordOf(ForwardState, state),
    problem,
    'next attempt (UTC)': time(forward.nextAttempt),
    'complete up to (UTC)': microTime(through),
    behind: behindSeconds === 0n ? 'nothing' : `${behindSeconds} s`,
    sent,
    'set aside': setAside,
    'last sent (UTC)': time(forward.lastSent),
    'added (UTC)': time(forward.created),
  })
  return { json: forward, text }
}
