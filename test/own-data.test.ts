import { afterAll, beforeAll, expect, test } from 'vitest'
import { sweepErasures } from '../core/accounts/command/erasure-requests.ts'
import { consentVersion } from '../core/analytics/rules/consent.ts'
import { reasonOf } from './support/failures.ts'
import { startLaunches, type Launches } from './support/launches.ts'
import { statement } from './support/statements.ts'
import { tokens } from './support/system.ts'
import { bearer } from './support/xapi.ts'

let launches: Launches
beforeAll(async () => {
  launches = await startLaunches({ rateLimitFactor: 0 })
})
afterAll(() => launches.system.close())

const portal = (core = 0) => launches.system.connections[core]!.as(bearer(tokens.portal)).ownData
let ips = 0
const proof = (
  by: { invitation?: string; learnerToken?: string; sessionSecret?: string },
  slug = launches.game.slug,
) => ({
  proof: { slug, senderIp: `10.9.0.${++ips}`, ...by },
})

/** A learner whom a browser remembers, with two statements. */
async function remembered(name: string) {
  const { launch, learnerToken } = await launches.play({ learnerName: name })
  const actor = JSON.parse(launch!.actor)
  const said = { actor, context: { registration: launch!.registration } }
  await launches.xapi(launch!).post([statement(said), statement(said)])
  return { launch: launch!, learnerToken, actor }
}

test('a learner sees and takes what the game holds; nobody else does', async () => {
  const { launch, learnerToken, actor } = await remembered('Mia')
  const own = await portal().getOwnData(proof({ learnerToken }))
  expect(own).toMatchObject({ mayAsk: true, known: { complete: true, learner: { name: 'Mia', statements: 2n } } })
  expect(own.request).toBeUndefined()
  expect(own.statements.map((one) => JSON.parse(Buffer.from(one).toString()).actor)).toEqual([actor, actor])
  const parts: string[] = []
  for await (const { held } of portal().exportOwnData(proof({ learnerToken }))) parts.push(held!.part.case!)
  expect(parts).toEqual(['learner', 'statement', 'statement', 'end'])

  // a session shows and takes, and does not ask: another person may have left it open
  const bySession = { sessionSecret: launch.sessionSecret }
  expect(await portal().getOwnData(proof(bySession))).toMatchObject({
    mayAsk: false,
    known: { learner: { name: 'Mia' } },
  })
  expect(await reasonOf(portal().askErasure(proof(bySession)))).toBe('FORBIDDEN')

  const other = await launches.publish(launches.owl)
  for (const wrong of [
    proof({}),
    proof({ learnerToken: 'x' }),
    proof({ invitation: learnerToken }),
    proof({ sessionSecret: learnerToken }),
    proof({ learnerToken }, other.slug),
    proof(bySession, other.slug),
  ])
    expect(await reasonOf(portal().getOwnData(wrong))).toBe('NOT_FOUND')
})

test('the studio is told of a request, without the name; it refuses; the learner asks again', async () => {
  const { fox, owl, game } = launches
  const { learnerToken, actor } = await remembered('Zelda Secret')
  const { request } = await portal().askErasure(proof({ learnerToken }))
  expect(Number(request!.due - request!.asked)).toBe(7 * 24 * 3600)
  // a second time is the same request
  expect((await portal(1).askErasure(proof({ learnerToken }))).request).toEqual(request)
  const { notifications } = await fox.on().notices.listNotifications({})
  const told = notifications.filter(({ kind }) => kind === 'learner')
  expect(told).toHaveLength(1)
  expect(JSON.stringify(told[0]!.title + told[0]!.body)).not.toContain('Zelda')
  const { requests } = await fox.on().ownData.listErasureRequests({ gameId: game.id })
  expect(requests).toMatchObject([{ learnerName: 'Zelda Secret', request: { outcome: '' } }])
  expect(JSON.parse(requests[0]!.agent)).toEqual({ account: actor.account })
  const decision = { gameId: game.id, requestId: request!.requestId }
  expect(await reasonOf(owl.on().ownData.decideErasure({ ...decision, erase: true }))).toBe('NOT_FOUND')
  expect(await reasonOf(fox.on().ownData.decideErasure(decision))).toBe('INVALID')
  await fox.on().ownData.decideErasure({ ...decision, reason: 'Your class needs it until summer.' })
  expect((await portal().getOwnData(proof({ learnerToken }))).request).toMatchObject({
    outcome: 'refused',
    reason: 'Your class needs it until summer.',
  })
  expect(await reasonOf(fox.on().ownData.decideErasure({ ...decision, erase: true }))).toBe('CONFLICT')
  const again = await portal().askErasure(proof({ learnerToken }))
  expect(again.request!.requestId).not.toBe(request!.requestId)
  const { receipt } = await fox
    .on()
    .ownData.decideErasure({ ...decision, requestId: again.request!.requestId, erase: true })
  expect(receipt).toMatchObject({ statements: 2n, accounts: 1n })
  expect(await reasonOf(portal().getOwnData(proof({ learnerToken })))).toBe('NOT_FOUND')
  const after = await fox.on().ownData.listErasureRequests({ gameId: game.id })
  expect(after.requests[0]).toMatchObject({
    learnerName: '',
    agent: '',
    request: { outcome: 'erased', receiptId: receipt!.receiptId },
  })
})

test('requests again and again are one notice an hour, and hide none that waits', async () => {
  const { owl, publish, play } = launches
  const { id, slug } = await publish(owl)
  const { learnerToken: waits } = await play({ slug, learnerName: 'Waits' })
  await portal().askErasure(proof({ learnerToken: waits }, slug))
  const { learnerToken } = await play({ slug, learnerName: 'Flood' })
  for (let n = 0; n < 101; n++) {
    await portal().askErasure(proof({ learnerToken }, slug))
    await portal().takeBackErasure(proof({ learnerToken }, slug))
  }
  const { notifications } = await owl.on().notices.listNotifications({})
  expect(notifications.filter(({ path }) => path === `/games/${id}/learners`)).toHaveLength(1)
  const { requests } = await owl.on().ownData.listErasureRequests({ gameId: id })
  expect(requests[0]).toMatchObject({ learnerName: 'Waits', request: { outcome: '' } })
  await portal().takeBackErasure(proof({ learnerToken: waits }, slug))
})

test('after seven days core erases, once, whichever core is first; what was taken back stays', async () => {
  const { fox, game, system } = launches
  const { code } = await fox.on().launches.createInvitation({ gameId: game.id, learnerName: 'Ivy Invited' })
  const { launch } = await launches.play({ invitation: code })
  const ivy = JSON.parse(launch!.actor)
  await launches.xapi(launch!).post(statement({ actor: ivy }))
  const kept = await remembered('Kept')
  const both = [proof({ invitation: code }), proof({ learnerToken: kept.learnerToken })]
  for (const one of both) await portal().askErasure(one)
  const sweepAll = () => Promise.all(system.cores.map((core) => sweepErasures(core)))
  await sweepAll()
  expect((await portal().getOwnData(both[0]!)).known!.learner!.statements).toBe(1n)
  // as it is typed from paper
  const typed = code.toLowerCase().replaceAll(/.{4}(?=.)/g, '$&-')
  expect((await portal().getOwnData(proof({ invitation: typed }))).known!.learner!.statements).toBe(1n)
  await portal().takeBackErasure(both[1]!)
  await system.database.sql(`update erasure_request set due = now() - interval '1 second' where outcome is null`)
  // by now another server may have erased its part
  expect(await reasonOf(portal().takeBackErasure(both[0]!))).toBe('CONFLICT')
  expect(await reasonOf(portal().takeBackErasure(both[1]!))).toBe('CONFLICT')
  await sweepAll()
  expect(await reasonOf(portal().getOwnData(both[0]!))).toBe('NOT_FOUND')
  expect(await portal().getOwnData(both[1]!)).toMatchObject({
    request: { outcome: 'taken-back' },
    known: { learner: { statements: 2n } },
  })
  const erased = await system.database.sql(
    `select subject_id from audit_entry where action = 'learner.erase' and actor_id = 'core'`,
  )
  expect(erased).toEqual([{ subject_id: game.id }])
})

test('while a studio erases, nothing is taken back or refused; what fails is done later', async () => {
  const { fox, game, system } = launches
  const { learnerToken } = await remembered('Late')
  const { request } = await portal().askErasure(proof({ learnerToken }))
  // the studio has begun, and its core dies
  expect(await system.cores[0]!.store.ownData.begin(request!.requestId)).toBe(true)
  expect(await reasonOf(portal().takeBackErasure(proof({ learnerToken })))).toBe('CONFLICT')
  const decision = { gameId: game.id, requestId: request!.requestId, reason: 'No.' }
  expect(await reasonOf(fox.on().ownData.decideErasure(decision))).toBe('CONFLICT')
  await sweepErasures(system.cores[1]!)
  expect(await reasonOf(portal().getOwnData(proof({ learnerToken })))).toBe('NOT_FOUND')
})

test('a text of the studio is agreed to before play, kept as a record, and asked for again when it changes', async () => {
  const { owl, publish, play, system } = launches
  const { id, slug } = await publish(owl)
  const texts = { gameId: id, name: 'Quiz', summary: 'Three levels', description: '' }
  const say = async (consent: string) => {
    await owl.on().games.updateGame({ ...texts, consent })
    const { game } = await owl.on().games.getGame({ gameId: id })
    expect(game!.changed).toBe(true)
    await owl.on().games.submitForReview({ gameId: id })
    await system.admin.games.decideReview({
      gameId: id,
      buildId: game!.live!.buildId,
      approved: true,
      page: game!.page,
    })
  }
  const before = await play({ slug, learnerName: 'Early' })
  await owl.on().games.updateGame({ ...texts, consent: 'x' })
  // not before a reviewer has seen it
  expect((await play({ slug, learnerName: 'Still' })).learnerToken).not.toBe('')
  expect(await reasonOf(owl.on().games.updateGame({ ...texts, consent: 'x'.repeat(4_001) }))).toBe('INVALID')
  await say('We keep what you reach.\n\nAsk your parents.')
  const version = consentVersion('We keep what you reach.\n\nAsk your parents.')
  expect(await owl.on().games.getPublishedGame({ slug })).toMatchObject({ consentVersion: version })
  for (const asked of [
    { slug, learnerName: 'New' },
    { slug, learnerToken: before.learnerToken },
    { slug, learnerName: 'New', consent: consentVersion('other') },
  ])
    await expect(play(asked)).rejects.toThrow('consent: must be agreed to')
  const agreed = await play({ slug, learnerName: 'Agnes', consent: version })
  const again = await play({ slug, learnerToken: agreed.learnerToken })
  const of = { gameId: id, agent: again.launch!.actor }
  const known = await owl.on().learners.getLearner(of)
  expect(known).toMatchObject({ consentVersion: version, consents: [{ version }] })
  expect(Number(known.consents[0]!.agreed)).toBeGreaterThan(Date.now() / 1000 - 600)
  for await (const { held } of owl.on().learners.exportGameLearner(of))
    if (held!.part.case === 'learner') expect(held!.part.value.consents).toMatchObject([{ version }])
  await owl.on().games.updateGame(texts)
  expect((await owl.on().games.getGame({ gameId: id })).game!.consent).toContain('parents')
  await say('We keep less.')
  await expect(play({ slug, learnerToken: agreed.learnerToken })).rejects.toThrow('consent')
  await play({ slug, learnerToken: agreed.learnerToken, consent: consentVersion('We keep less.') })
  expect((await owl.on().learners.getLearner(of)).consents).toMatchObject([
    { language: 'en', current: true },
    { language: 'en', current: false },
  ])

  const german = { language: 'de', summary: 'Drei Stufen', description: '', consent: 'Wir behalten wenig.' }
  const agreeTo = consentVersion(german.consent)
  const readLanguages = ['de-AT', 'en']
  const { setGameText, getPublishedGame } = owl.on().games
  await setGameText({ gameId: id, texts: german })
  expect(await getPublishedGame({ slug, readLanguages })).toMatchObject({
    consent: 'We keep less.',
    textLanguage: 'en',
  })
  await say('We keep less.')
  const less = consentVersion('We keep less.')
  expect(await getPublishedGame({ slug, readLanguages })).toMatchObject({
    game: { name: 'Quiz', summary: 'Drei Stufen' },
    consent: german.consent,
    consentVersion: agreeTo,
    consentVersions: [less, agreeTo],
    textLanguage: 'de',
  })
  expect(await getPublishedGame({ slug })).toMatchObject({ game: { summary: 'Three levels' }, consentVersion: less })
  // who has agreed in one language has agreed, until that text changes
  await play({ slug, learnerToken: agreed.learnerToken })
  const anna = await play({ slug, learnerName: 'Anna', consent: agreeTo })
  const hers = { gameId: id, agent: anna.launch!.actor }
  expect((await owl.on().learners.getLearner(hers)).consents).toMatchObject([{ language: 'de', current: true }])
  await setGameText({ gameId: id, texts: { ...german, consent: 'Wir behalten nichts.' } })
  await say('We keep less.')
  await expect(play({ slug, learnerToken: anna.learnerToken })).rejects.toThrow('consent')
  await play({ slug, learnerToken: agreed.learnerToken })
  // a text that no visitor reads any more is no text to agree to
  await owl.on().games.updateGame({ ...texts, consent: 'We keep less.', facts: { textLanguage: 'de' } })
  await say('We keep less.')
  expect((await getPublishedGame({ slug })).consentVersions).toEqual([less])

  expect(await reasonOf(setGameText({ gameId: id, texts: { ...german, language: 'german!' } }))).toBe('INVALID')
  await setGameText({ gameId: id, texts: { language: 'de' } })
  expect((await owl.on().games.getGame({ gameId: id })).game).toMatchObject({
    texts: [],
    accepted: { texts: [{ language: 'de' }] },
  })
  for (const language of 'da el es fi fr hu it nl pl pt'.split(' '))
    await setGameText({ gameId: id, texts: { ...german, language } })
  expect(await reasonOf(setGameText({ gameId: id, texts: german }))).toBe('INVALID')
})
