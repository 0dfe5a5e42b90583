import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formerKeys } from '../../core/analytics/rules/former-key.ts'
import { expire } from '../../core/records/command/expire.ts'
import { agentKey } from '../../core/records/xapi/identify.ts'
import { sweepStorage } from '../../core/games/command/sweep-storage.ts'
import { attachment, contentPart, jsonPart, multipart, multipartType } from '../support/attachments.ts'
import { addStudio, stageBuild, type Studio } from '../support/studios.ts'
import { activity, player, reference, statement, voiding, type Agent, type Json } from '../support/statements.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import { secretKey, tokens } from '../support/system.ts'
import { targetLrs } from '../support/target-lrs.ts'
import { basic, bearer, xapiClient } from '../support/xapi.ts'
import { startReceiver } from '../webhooks/receiver.ts'
import { columnsWith, filesWith, markersOf } from './search.ts'

let system: PortalSystem
let studio: Studio
const lines: string[] = []
beforeAll(async () => {
  const to = new Writable({ write: (line, _encoding, done) => (lines.push(String(line)), done()) })
  system = await startPortalSystem({ log: pino({ level: 'debug' }, to), forwardMs: 50, webhookMs: 50 })
  studio = await addStudio(system, 'Blue Fox')
})
afterAll(() => system.close())

const core = () => system.cores[0]!
const json = (value: unknown) => Buffer.from(JSON.stringify(value))

/** A game that anybody can play, with a credential, a webhook and a forward, whose receivers quote what they get. */
async function published() {
  const { games, webhooks, forwards } = studio.on()
  const { gameId } = await games.createGame({ name: 'Quiz' })
  const { key, secret } = await system.admin.identity.issueCredential({ gameId })
  await games.updateGame({ gameId, name: 'Quiz', summary: 'Three levels', description: '' })
  const buildId = await stageBuild(system, gameId)
  await games.submitForReview({ gameId })
  await system.admin.games.decideReview({ gameId, buildId, approved: true })
  const { slug } = (await games.getGame({ gameId })).game!.summary!
  await studio.on().counting.setCut({ gameId, cut: 'platform' })
  const receiver = await startReceiver()
  receiver.answer = ({ body }) => ({ status: 200, body: String(body) })
  const events = ['statements.stored', 'learner.erased']
  await webhooks.addWebhook({ gameId, settings: { name: 'Ours', url: receiver.url, events } })
  const target = await targetLrs(({ method, body }) =>
    method === 'POST' ? { status: 400, text: `${body}` } : undefined,
  )
  const settings = { name: 'Theirs', endpoint: target.endpoint, version: '1.0.3' }
  await forwards.addForward({ gameId, settings, credential: { kind: { case: 'bearer', value: 'b' } } })
  const authorization = basic(key, secret)
  const rpc = system.connections[0]!.as(authorization, { 'x-experience-api-version': '1.0.3' })
  const xapi = (version?: string) => xapiClient(system.urls[0]!, authorization, version)
  return { gameId, slug, rpc, xapi, receiver, target }
}

/** A learner who plays by a card of a class, and the same word in every other way to name an agent. */
async function planted(game: Awaited<ReturnType<typeof published>>, word: string) {
  const name = `${word[0]!.toUpperCase()}${word.slice(1)} Full`
  const { classes, launches } = studio.on()
  const { gameId } = game
  const { classId } = await classes.createClass({ gameId, name: '4b', learnerNames: [name] })
  const invitationIds = (await classes.getClass({ gameId, classId })).learners.map(
    (one) => one.invitation!.invitationId,
  )
  const [link] = (await classes.renewLinks({ gameId, invitationIds })).links
  const portal = system.connections[0]!.as(bearer(tokens.portal))
  const { launch } = await portal.launches.startPlay({ slug: game.slug, senderIp: '10.9.9.9', invitation: link!.code })
  const played = JSON.parse(launch!.actor) as Agent
  const mbox = `mailto:${word}.mail@${word}.example`
  const agents: Agent[] = [
    { objectType: 'Agent', name, account: { homePage: `https://${word}.example/home`, name: `${word}-account` } },
    { objectType: 'Agent', name, mbox },
    { objectType: 'Agent', name, openid: `https://${word}.example/openid` } as Agent,
    { objectType: 'Agent', name, mbox_sha1sum: createHash('sha1').update(`sha.${mbox}`).digest('hex') } as Agent,
    played,
  ]
  const proof = { slug: game.slug, invitation: link!.code, senderIp: '10.9.9.8' }
  await portal.ownData.askErasure({ proof })

  const sandbox = (await launches.openSandbox({ gameId })).launch!
  const inSandbox = xapiClient(system.urls[0]!, bearer(sandbox.token))
  for (const agent of agents) await store(game, word, agent)
  for (const agent of agents) {
    await inSandbox.post({ ...statement(), context: { instructor: agent } })
    await refused(inSandbox, word)
  }
  for (const version of [undefined, '2.0.0']) await refused(game.xapi(version), word)
  await game.rpc.statements.storeStatements({ json: json([{ actor: { mbox: `${word}@a.example` } }]) }).catch(() => {})
  await game.rpc.statements.getPerson({ agent: `{"mbox": ${word}` }).catch(() => {})

  const form = { gameId, filters: { agent: JSON.stringify(agents[0]) } }
  const { export: file } = await studio.on().exports.startExport(form)
  await expect
    .poll(async () => (await studio.on().exports.getExport({ exportId: file!.exportId })).export!.ended, {
      timeout: 30_000,
    })
    .toBeGreaterThan(0n)
  await looked(gameId, word, agents)
  const kept = (await core().store.retention.get(gameId, undefined))!
  const hashes = agents.flatMap((agent) => formerKeys([secretKey])(kept.game, agentKey(agent as never)!))
  return { agents, markers: markersOf(word, agents, [played.account!.name, ...hashes]) }
}

/** Statements that name the agent in every place, documents, and a content. */
async function store({ xapi }: Awaited<ReturnType<typeof published>>, word: string, agent: Agent): Promise<void> {
  const others = () => ({ actor: player('somebody-else') })
  const own = statement({ actor: agent, context: { registration: randomUUID() } })
  const answered = { ...activity('question'), definition: { interactionType: 'fill-in' } }
  const { name: _name, ...plain } = agent
  const list: Json[] = [
    own,
    statement({
      actor: agent,
      object: answered,
      result: { response: `${word} wrote`, success: true },
      context: { platform: `phone of ${word}` },
    }),
    statement({ ...others(), object: { ...agent, objectType: 'Agent' } }),
    statement({ actor: { objectType: 'Group', member: [player('somebody-else'), agent] } }),
    statement({ ...others(), context: { instructor: agent, team: { objectType: 'Group', member: [agent] } } }),
    statement({
      ...others(),
      object: {
        objectType: 'SubStatement',
        actor: agent,
        verb: { id: 'https://games.example.org/verbs/won' },
        object: activity('chess'),
        context: { instructor: plain },
      },
    }),
    statement({ ...others(), object: reference(own.id) }),
    voiding(own.id, { actor: agent }),
  ]
  expect((await xapi().post(list)).status).toBe(200)
  const contextAgents = [{ objectType: 'contextAgent', agent, relevantTypes: ['https://a.example/type'] }]
  expect((await xapi('2.0.0').post(statement({ ...others(), context: { contextAgents } }))).status).toBe(200)
  const picture = Buffer.from(`${word} in a picture ${randomUUID()}`)
  const body = multipart([
    jsonPart(statement({ actor: agent, attachments: [attachment(picture)] })),
    contentPart(picture),
  ])
  const headers = { 'content-type': multipartType }
  expect((await xapi().request('POST', 'statements', { body, headers })).status).toBe(200)
  const query = { agent: plain, activityId: activity('chess').id, stateId: `${word}-save` }
  expect((await xapi().request('PUT', 'activities/state', { query, body: { word } })).status).toBe(204)
  const profile = { agent: plain, profileId: `${word}-profile` }
  const first = { 'if-none-match': '*' }
  expect(
    (await xapi().request('PUT', 'agents/profile', { query: profile, body: { word }, headers: first })).status,
  ).toBe(204)
}

/** Requests that core or the gateway refuses, with the name wherever a message could quote it. */
async function refused(client: ReturnType<typeof xapiClient>, word: string): Promise<void> {
  const mail = `${word}@${word}.example`
  const bodies = [
    { ...statement(), context: { instructor: { mbox: mail } } },
    { ...statement(), [word]: 1 },
    { ...statement(), [mail]: 1 },
    { ...statement(), result: { extensions: { [mail]: 1 } } },
    { ...statement(), verb: { id: mail, display: { [word]: 'x' } } },
    `{"actor": ${word}`,
    `{"${word}": 1, "${word}": 2}`,
  ]
  const about = { activityId: activity('chess').id, stateId: 'save' }
  const replies = [
    ...(await Promise.all(bodies.map((body) => client.post(body)))),
    ...(await Promise.all([
      client.get({ [word]: 1 }),
      client.get({ agent: mail }),
      client.get({ statementId: mail }),
      client.get({ limit: word }),
      client.request('GET', `${word}/page`),
      client.request('PUT', 'activities/state', { query: { ...about, agent: `{"mbox":"${mail}"}` }, body: 'x' }),
      client.request('POST', 'statements', { body: '{}', headers: { 'content-type': `text/${word}` } }),
      client.request('POST', 'statements', { body: '{}', headers: { 'x-experience-api-version': word } }),
    ])),
  ]
  expect(replies.map(({ status }) => status).filter((status) => status < 400)).toEqual([])
}

/** Pages, searches and exports about the learner, so that what they keep or log is there. */
async function looked(gameId: string, word: string, agents: readonly Agent[]): Promise<void> {
  for (const agent of agents.map((one) => JSON.stringify(one))) {
    for await (const _ of studio.on().learners.exportGameLearner({ gameId, agent })) continue
    for await (const _ of system.admin.admin.exportLearner({ agent })) continue
    await studio.on().learners.getLearner({ gameId, agent })
    await fetch(`${system.url}/games/${gameId}/learner?agent=${encodeURIComponent(agent)}`, asOwner())
  }
  const today = new Date().toISOString().slice(0, 10)
  expect((await studio.on().answers.getAnswers({ gameId, from: today, to: today })).cutValues).toHaveLength(2)
  expect((await studio.on().learners.findLearners({ gameId, text: word })).learners.length).toBeGreaterThan(0)
  await fetch(`${system.url}/games/${gameId}/learners?q=${word}`, asOwner())
  await fetch(`${system.url}/${word}`, asOwner())
}

const asOwner = () => ({ headers: { cookie: `session=${studio.session}` } })

/** Everything that waits in memory is written. */
async function written(): Promise<void> {
  await core().refusals.flush()
  await core().events.flush()
  await core().audit.flush?.()
}

/** What may stay, the sentence of docs/privacy.md that says so, and how the time passes until which it may. */
interface Exception {
  readonly places: readonly string[]
  readonly words: string
  readonly pass: () => Promise<unknown>
}
const sql = (text: string) => system.database.sql(text)
const untilErased: readonly Exception[] = [
  {
    places: ['attachment_chunk.content'],
    words: 'removed by the next sweep after an hour: within two hours',
    pass: () => core().store.attachments.sweep(0, 1_000),
  },
  {
    places: ['sandbox_event.body', 'sandbox_event.message', 'sandbox_event.path', 'sandbox_event.request'],
    words: 'Requests of the sandbox are removed 24 hours after they came',
    pass: async () => {
      await sql(`update sandbox_event set at = at - interval '23 hours'`)
      await core().store.sandboxEvents.sweep(23 * 3600, 10_000)
    },
  },
  {
    places: ['export_job.filters', 'storage/exports'],
    words: 'with the filters that it chose, for 7 days',
    pass: async () => {
      await sql(`update export_job set ended = ended - interval '7 days'`)
      await core().store.exportJobs.sweep(7, 1_000)
      await sql('update garbage set due = now()')
      await sweepStorage(core(), new AbortController().signal)
    },
  },
]

async function everywhere(markers: RegExp): Promise<string[]> {
  const { storage } = core().config
  const files = storage.kind === 'local' ? await filesWith(storage.folder, markers) : []
  const folders = files.map((file) => (file.match(/exports\//) ? 'storage/exports' : `storage: ${file}`))
  return [...new Set([...(await columnsWith(system.database, markers)).keys(), ...folders])].toSorted()
}

const guide = readFileSync('docs/privacy.md', 'utf8').replaceAll(/\s+/g, ' ')

/** Only the exceptions are left, and none once their time has passed. */
async function onlyFor(exceptions: readonly Exception[], markers: RegExp): Promise<void> {
  await written()
  const allowed = exceptions.flatMap(({ places }) => places)
  expect((await everywhere(markers)).filter((place) => !allowed.includes(place))).toEqual([])
  for (const { words, pass } of exceptions) {
    expect(guide).toContain(words)
    await pass()
  }
  expect(await everywhere(markers)).toEqual([])
  expect(lines.filter((line) => markers.test(line))).toEqual([])
}

const untilExpired = (agents: readonly Agent[]): readonly Exception[] => [
  ...untilErased,
  {
    places: ['webhook_delivery.answer'],
    words: 'characters of each answer, for 30 days',
    pass: async () => {
      await sql(`update webhook_delivery set created = created - interval '30 days'`)
      await core().store.webhookDeliveries.sweep(30, 10_000)
    },
  },
  {
    places: ['document.agent', 'document.content', 'document.id'],
    words: 'Until an erasure stay agent profiles of learners who are no learners of the player',
    pass: async () => {
      for (const agent of agents) await system.admin.admin.eraseLearner({ agent: JSON.stringify(agent) })
    },
  },
]

/** Receivers have quoted the learner, and the search finds what it has to look for later. */
async function found(game: Awaited<ReturnType<typeof published>>, markers: RegExp): Promise<void> {
  await expect.poll(() => game.target.requests.length, { timeout: 20_000 }).toBeGreaterThan(3)
  await expect.poll(() => game.receiver.received.length, { timeout: 20_000 }).toBeGreaterThan(0)
  await expect
    .poll(() => everywhere(markers), { timeout: 20_000 })
    .toEqual(
      // so that the search would find what stayed
      expect.arrayContaining([
        'agent_name.name',
        'attachment_chunk.content',
        'document.content',
        'document.id',
        'export_job.filters',
        'forward_set_aside.reason',
        'learner.name',
        'learner_seen.agent',
        'learner_word.word',
        'posting.term',
        'sandbox_event.body',
        'seen_word.word',
        'statement.body',
        'statement.terms',
        'tally_cut.value',
        'storage/exports',
        'webhook_delivery.answer',
      ]),
    )
}

const erase = {
  'by an owner of its studio, in one game': async (gameId: string, agent: string) =>
    (await studio.on().learners.eraseGameLearner({ gameId, agent })).receipt!,
  'by an admin, in all games': (_: string, agent: string) => system.admin.admin.eraseLearner({ agent }),
}
const words = ['zebulonix', 'quagmirex']

for (const [n, [way, run]] of Object.entries(erase).entries()) {
  const word = words[n]!
  // the way of an admin is also at the end of the next tests
  test(`erased ${way} (${word})`, { timeout: 180_000, tags: n === 0 ? [] : 'long' }, async () => {
    const game = await published()
    const { agents, markers } = await planted(game, word)
    await found(game, markers)
    for (const agent of agents) expect((await run(game.gameId, JSON.stringify(agent))).receiptId).not.toBe('')
    // an event is sent at least once
    const told = () => game.receiver.types().filter((type) => type === 'learner.erased').length
    await expect.poll(told).toBeGreaterThanOrEqual(agents.length)
    await expect.poll(() => columnsWith(system.database, markers)).not.toContain('webhook_event.data')
    await onlyFor(untilErased, markers)
    await game.receiver.close()
  })
}

test('kept long enough, with all statements and learners of that time', async () => {
  const word = 'fernwaldix'
  const game = await published()
  const { agents, markers } = await planted(game, word)
  await found(game, markers)
  await expireAll(game.gameId, { statementMonths: 1, learnerMonths: 1, sandboxMonths: 1 })
  await onlyFor(untilExpired(agents), markers)
  await game.receiver.close()
}, 180_000)

test('erased when retention had removed all statements but a keyed hash was left', async () => {
  const word = 'wobblequix'
  const game = await published()
  const { agents, markers } = await planted(game, word)
  await expireAll(game.gameId, { statementMonths: 1 })
  expect(await everywhere(markers)).toContain('former_learner.learner')
  for (const agent of agents) await system.admin.admin.eraseLearner({ agent: JSON.stringify(agent) })
  await onlyFor(untilErased, markers)
  await game.receiver.close()
}, 180_000)

/** As if 40 days had passed. */
async function expireAll(gameId: string, retention: object): Promise<void> {
  await studio.on().retention.setRetention({ gameId, retention })
  const { store, config } = core()
  // this core has its own look, which finds nothing that is so old
  await expect.poll(() => sql(`select 1 from retention where leased is null and next_run > now()`)).toHaveLength(1)
  const due = { ...(await store.retention.get(gameId, undefined))!, id: 0, attempts: 0 }
  const later = Date.now() + 40 * 24 * 3600 * 1000
  await expire({ store, config, now: () => later }, { ...due, id: due.game }, new AbortController().signal)
}
