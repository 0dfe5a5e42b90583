import {
  ForwardSchema,
  ForwardState,
  GetForwardResponseSchema,
  ListForwardsResponseSchema,
  TestForwardResponseSchema,
  type Forward,
} from '../../gen/lrs/v1/forwards_pb.js'
import { askSecret, secretIn } from '../ask-secret.ts'
import { confirmed } from '../confirm.ts'
import { Failed } from '../failed.ts'
import { filterFacts, keptFilterOf, type KeptOptions } from '../filter.ts'
import { jsonOf } from '../json-of.ts'
import { gameIdOf } from '../name-game.ts'
import type { Session, Work } from '../session.ts'
import { list, microTime, table, time, type Shown } from '../show.ts'

interface TargetOptions {
  readonly endpoint: string
  readonly xapi: string
  readonly user?: string
  readonly secretFile?: string
  /** False: there is none. */
  readonly secret?: boolean
  readonly sandbox?: true
}

interface AddOptions extends TargetOptions, KeptOptions {
  readonly name?: string
  readonly since?: string
  readonly pseudonyms?: true
  readonly bare?: true
  readonly attachments?: true
}

/** What is not given stays. */
interface ChangeOptions extends KeptOptions {
  readonly endpoint?: string
  readonly xapi?: string
  readonly user?: string
  readonly secretFile?: string
  readonly name?: string
  readonly pseudonyms?: boolean
  readonly bare?: boolean
  readonly attachments?: boolean
}

/** Never an argument: other people on the machine see those. */
async function credentialOf(
  session: Session,
  { user, secretFile = '-', secret }: Pick<TargetOptions, 'user' | 'secretFile' | 'secret'>,
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

const settingsOf = (options: AddOptions) => ({
  name: options.name ?? (URL.parse(options.endpoint)?.host || options.endpoint).slice(0, 100),
  endpoint: options.endpoint,
  version: options.xapi,
  sandbox: options.sandbox ?? false,
  ...keptFilterOf(options),
  pseudonyms: options.pseudonyms ?? false,
  bare: options.bare ?? false,
  attachments: options.attachments ?? false,
})

const states: Readonly<Record<number, string>> = {
  [ForwardState.RUNNING]: 'running',
  [ForwardState.FAILING]: 'failing',
  [ForwardState.PAUSED]: 'paused',
}

export const listForwards: Work<object> = async (session, [game]) => {
  const core = await session.connect()
  const gameId = game === undefined ? '' : await gameIdOf(core, game)
  const found = await core.forwards.listForwards({ gameId })
  const rows = found.forwards.map(({ forwardId, gameId, settings, state, sent, setAside, behindSeconds, problem }) => [
    forwardId,
    ...(game === undefined ? [gameId] : []),
    settings?.name ?? '',
    states[state] ?? '',
    String(sent),
    String(setAside),
    behindSeconds === 0n ? '' : `${behindSeconds} s`,
    problem.slice(0, 60),
  ])
  const head = [
    'forward',
    ...(game === undefined ? ['game'] : []),
    'name',
    'state',
    'sent',
    'set aside',
    'behind',
    'problem',
  ]
  return { json: jsonOf(ListForwardsResponseSchema, found), text: table(head, rows, 'There are no forwards.') }
}

export const addForward: Work<AddOptions> = async (session, [game], options) => {
  const credential = await credentialOf(session, options)
  const core = await session.connect()
  const gameId = await gameIdOf(core, game!)
  const settings = settingsOf(options)
  const { forward } = await core.forwards.addForward({ gameId, settings, credential, since: options.since ?? '' })
  return shown(forward!)
}

export const changeForward: Work<ChangeOptions> = async (session, [forwardId], options) => {
  const core = await session.connect()
  const before = (await core.forwards.getForward({ forwardId })).forward!
  const old = before.settings!
  const { user = before.user, secretFile } = options
  const isGiven = options.user !== undefined || secretFile !== undefined
  const credential = isGiven ? await credentialOf(session, { user: user || undefined, secretFile }) : undefined
  const settings = {
    name: options.name ?? old.name,
    endpoint: options.endpoint ?? old.endpoint,
    version: options.xapi ?? old.version,
    sandbox: old.sandbox,
    ...keptFilterOf(options, old),
    pseudonyms: options.pseudonyms ?? old.pseudonyms,
    bare: options.bare ?? old.bare,
    attachments: options.attachments ?? old.attachments,
  }
  const { forward } = await core.forwards.changeForward({ forwardId, settings, credential })
  return shown(forward!)
}

export const showForward: Work<object> = async (session, [forwardId]) => {
  const found = await (await session.connect()).forwards.getForward({ forwardId })
  const rows = found.setAside.map(({ statementId, stored, reason, at }) => [
    time(at),
    statementId || '-',
    microTime(stored),
    reason,
  ])
  const refused = table(['at (UTC)', 'statement', 'stored (UTC)', 'why'], rows, 'Nothing is set aside.')
  return { json: jsonOf(GetForwardResponseSchema, found), text: `${shown(found.forward!).text}\n\n${refused}` }
}

const pause =
  (paused: boolean): Work<object> =>
  async (session, [forwardId]) => {
    await (await session.connect()).forwards.pauseForward({ forwardId, paused })
    return { json: { forwardId: forwardId!, paused }, text: paused ? 'Paused.' : 'It goes on.' }
  }
export const pauseForward = pause(true)
export const resumeForward = pause(false)

export const sendAgain: Work<{ since: string }> = async (session, [forwardId], { since }) => {
  await (await session.connect()).forwards.sendAgain({ forwardId, since })
  return { json: { forwardId: forwardId!, since }, text: 'It goes back to this time, and sends again from there on.' }
}

export const retrySetAside: Work<object> = async (session, [forwardId]) => {
  await (await session.connect()).forwards.retrySetAside({ forwardId })
  return { json: { forwardId: forwardId! }, text: 'What was set aside is sent with the next batches.' }
}

export const removeForward: Work<{ yes?: true }> = async (session, [forwardId], options) => {
  const core = await session.connect()
  const { forward } = await core.forwards.getForward({ forwardId })
  await confirmed(session, options, `Remove the forward ${forward!.settings?.name} to ${forward!.settings?.endpoint}?`)
  await core.forwards.removeForward({ forwardId })
  return { json: { forwardId: forwardId! }, text: 'Removed. What the other store has, it keeps.' }
}

export const testForward: Work<TargetOptions> = async (session, [game], options) => {
  const credential = await credentialOf(session, options)
  const core = await session.connect()
  const gameId = await gameIdOf(core, game!)
  const asked = { gameId, settings: settingsOf(options), credential }
  const found = await core.forwards.testForward(asked, { timeoutMs: 60_000 })
  const text = found.problem || 'The other store answers, and takes this credential.'
  await session.write(`${session.json ? JSON.stringify(jsonOf(TestForwardResponseSchema, found), null, 2) : text}\n`)
  if (found.problem !== '') throw new Failed('It cannot be used like this.')
}

function shown(forward: Forward): Shown {
  const { forwardId, gameId, settings, user, state, through, behindSeconds, sent, setAside, problem } = forward
  const text = list([
    ['forward', forwardId],
    ['game', gameId],
    ['name', settings?.name ?? ''],
    ['endpoint', settings?.endpoint ?? ''],
    ['xAPI', settings?.version ?? ''],
    ['user', user],
    ['of', settings?.sandbox ? 'the sandbox' : 'learners'],
    ...filterFacts(settings!),
    ['pseudonyms', settings?.pseudonyms ? `yes${settings.bare ? ', without responses and extensions' : ''}` : ''],
    ['attachments', settings?.attachments ? 'with their contents' : ''],
    ['state', states[state] ?? ''],
    ['problem', problem],
    ['next attempt (UTC)', time(forward.nextAttempt)],
    ['complete up to (UTC)', microTime(through)],
    ['behind', behindSeconds === 0n ? 'nothing' : `${behindSeconds} s`],
    ['sent', String(sent)],
    ['set aside', String(setAside)],
    ['last sent (UTC)', time(forward.lastSent)],
    ['added (UTC)', time(forward.created)],
  ])
  return { json: jsonOf(ForwardSchema, forward), text }
}
