import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { begin, deletedIds, idsOf, receipt, remove, store } from '../deletions/deletions.ts'
import { statements, verb } from '../support/statements.ts'
import { startSystem, type System } from '../support/system.ts'
import { targetLrs, type TargetLrs } from '../support/target-lrs.ts'

let system: System
beforeAll(async () => {
  system = await startSystem({ cores: 2, gateways: 0, forwardMs: 50 })
})
afterAll(() => system.close())

const patient = { timeout: 30_000, interval: 50 }

async function forward(gameId: string, target: TargetLrs, since = '2000-01-01T00:00:00Z', more: object = {}) {
  const settings = { name: 'Partner', endpoint: target.endpoint, version: '1.0.3', ...more }
  return (await system.admin.forwards.addForward({ gameId, settings, since })).forward!
}
const idsSentBy = (deletionId: string, forwardId: string) => deletedIds(system, deletionId, forwardId)

test('a forward lists the deleted statements that it has sent; one that has sent none lists none', async () => {
  const game = await system.game()
  const target = await targetLrs()
  const old = statements(3, { verb: verb('exploded') })
  await store(game, old)
  const sends = await forward(game.id, target)
  const late = await forward(game.id, await targetLrs(), new Date().toISOString())
  await vi.waitFor(() => expect(target.ids()).toEqual(idsOf(old)), patient)
  const paused = await forward(game.id, await targetLrs())
  await system.admin.forwards.pauseForward({ forwardId: paused.forwardId, paused: true })
  // what comes now is sent by the second one, too
  const recent = statements(2, { verb: verb('exploded') })
  await store(game, recent)
  await vi.waitFor(() => expect(target.ids()).toHaveLength(5), patient)
  await vi.waitFor(async () => {
    const { forward } = await system.admin.forwards.getForward({ forwardId: late.forwardId })
    expect(forward).toMatchObject({ sent: 2n, behindSeconds: 0n })
    const { forward: first } = await system.admin.forwards.getForward({ forwardId: sends.forwardId })
    expect(first).toMatchObject({ sent: 5n, behindSeconds: 0n })
  }, patient)
  // it goes back to the beginning, but is paused before it sends again: what it had sent is still listed
  await system.admin.forwards.pauseForward({ forwardId: sends.forwardId, paused: true })
  await system.admin.forwards.sendAgain({ forwardId: sends.forwardId, since: '2000-01-01T00:00:00Z' })

  const { receipt } = await remove(system, game, { filters: { verb: verb('exploded').id } })
  const { deletionId, forwarded } = receipt
  const one = { name: 'Partner', endpoint: target.endpoint }
  expect(forwarded.find(({ forwardId }) => forwardId === sends.forwardId)).toMatchObject({ ...one, statements: 5 })
  expect(await idsSentBy(deletionId, sends.forwardId)).toEqual(idsOf([...old, ...recent]))
  expect(await idsSentBy(deletionId, late.forwardId)).toEqual(idsOf(recent))
  const { setAside } = await system.admin.forwards.getForward({ forwardId: sends.forwardId })
  expect(setAside).toMatchObject([{ statementId: '', deletionId }])
  expect(setAside[0]!.reason).toContain(`5 statements were deleted here (deletion ${deletionId})`)
  // a forward sends nothing of what is deleted
  await system.admin.forwards.pauseForward({ forwardId: sends.forwardId, paused: false })
  const [fresh] = statements(1)
  await store(game, [fresh])
  await vi.waitFor(() => expect(target.ids().at(-1)).toBe(fresh.id), patient)
  expect(target.times.get(old[0]!.id)).toBe(1)
})

test('what is on its way to the target while it is deleted is listed; what the target refused is forgotten', async () => {
  const game = await system.game()
  const bad = statements(1, { verb: verb('exploded') })
  const refusing = await targetLrs(({ statements }) =>
    statements.length > 0 ? { status: 400, text: 'no' } : undefined,
  )
  await store(game, bad)
  const refused = await forward(game.id, refusing)
  const setAside = async () =>
    (await system.admin.forwards.getForward({ forwardId: refused.forwardId })).setAside.map((one) => one.statementId)
  await vi.waitFor(async () => expect(await setAside()).toEqual(idsOf(bad)), patient)
  let open = () => {}
  const slow = await targetLrs()
  slow.how.gate = new Promise((resolve) => (open = resolve))
  const { forwardId } = await forward(game.id, slow)
  await vi.waitFor(() => expect(slow.posts()).toHaveLength(1), patient)
  const { deletion } = await begin(system, game, { ids: idsOf(bad) })
  const { forwarded, deletionId } = await receipt(system, deletion)
  expect(forwarded.map((one) => [one.forwardId, one.statements])).toEqual([[forwardId, 1]])
  expect(await idsSentBy(deletionId, forwardId)).toEqual(idsOf(bad))
  expect(await setAside()).toEqual([])
  open()
  await vi.waitFor(() => expect(slow.ids()).toEqual(idsOf(bad)), patient)
})

test('a forward with pseudonyms lists the ids that its target has', async () => {
  const game = await system.game()
  const target = await targetLrs()
  const bad = statements(3, { verb: verb('exploded') })
  await store(game, bad)
  const { forwardId } = await forward(game.id, target, undefined, { pseudonyms: true })
  await vi.waitFor(async () => {
    const { forward } = await system.admin.forwards.getForward({ forwardId })
    expect(forward).toMatchObject({ sent: 3n, behindSeconds: 0n })
  }, patient)
  const { receipt } = await remove(system, game, { ids: idsOf(bad) })
  const ids = await idsSentBy(receipt.deletionId, forwardId)
  expect(ids).toEqual(target.ids().toSorted())
  expect(ids.filter((id) => idsOf(bad).includes(id))).toEqual([])
})
