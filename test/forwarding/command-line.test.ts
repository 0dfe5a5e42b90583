import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startAdminSystem, type AdminSystem } from '../support/admin-system.ts'
import { done, failed, run } from '../support/admin.ts'
import { statement, statements, verb } from '../support/statements.ts'
import { targetLrs } from '../support/target-lrs.ts'

let its: AdminSystem
beforeAll(async () => {
  its = await startAdminSystem({ cores: 2, gateways: 0, forwardMs: 50 })
})
afterAll(() => its.close())

const patient = { timeout: 30_000, interval: 50 }

/** A game with a forward that the command line has added, whose target refuses what is lost. */
async function added(list: object[] = []) {
  const { game, folder } = await its.next()
  const secret = join(folder, 'secret.txt')
  writeFileSync(secret, 'very-secret-password\n')
  const target = await targetLrs(({ statements }) =>
    statements.some(({ verb }) => JSON.stringify(verb).includes('lost')) ? { status: 400, text: 'no' } : undefined,
  )
  const send = (list: object[]) => game.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify(list)) })
  if (list.length > 0) await send(list)
  const to = ['--endpoint', target.endpoint, '--user', 'ann', '--secret-file', secret]
  const since = ['--since', '2000-01-01T00:00:00Z']
  const said = await its.admin('forwards', 'add', game.id, ...to, '--name', 'Partner', ...since, '--json')
  expect(said).toEqual(done(expect.not.stringContaining('very-secret')))
  const { forwardId } = JSON.parse(said.out) as { forwardId: string }
  const forwards = (word: string, ...args: string[]) => its.admin('forwards', word, forwardId, ...args)
  const show = async () => JSON.parse((await forwards('show', '--json')).out) as Shown
  return { game, target, send, secret, forwardId, forwards, show }
}
interface Shown {
  forward: { state: string; setAside?: string; user: string; settings: Record<string, unknown> }
  setAside?: { statementId: string; reason: string }[]
}
const idsOf = (list: readonly { id: string }[]) => list.map(({ id }) => id)

test('add sends, list and show tell how far it is and what was refused, retry sends it once more', async () => {
  const [won, lost] = [statement({ verb: verb('won') }), statement({ verb: verb('lost') })]
  const { game, target, forwardId, forwards } = await added([won, lost])
  await vi.waitFor(async () => {
    const { out } = await its.admin('forwards', 'list', game.id)
    expect(out).toMatch(new RegExp(`${forwardId} +Partner +running +1 +1`))
  }, patient)
  expect((await its.admin('forwards', 'list')).out).toContain(game.id)
  expect(target.ids()).toEqual([won.id])
  const basic = `Basic ${Buffer.from('ann:very-secret-password').toString('base64')}`
  expect(target.posts()[0]!.headers.authorization).toBe(basic)
  const { out } = await forwards('show')
  expect(out).toMatch(new RegExp(`endpoint +${target.endpoint}\n(.*\n)*user +ann\n(.*\n)*state +running`))
  expect(out).toMatch(new RegExp(`${lost.id} .* 400: no`))
  expect(out).not.toContain('very-secret')
  target.how.answer = () => undefined
  expect(await forwards('retry')).toEqual(done('What was set aside is sent with the next batches.'))
  await vi.waitFor(() => expect(target.ids()).toEqual([won.id, lost.id]), patient)
  await vi.waitFor(async () => expect((await forwards('show')).out).toContain('Nothing is set aside.'), patient)
})

test('pause stops it, resume and send-again go on, remove ends it', async () => {
  const { target, send, forwards, show } = await added()
  expect(await forwards('pause')).toEqual(done('Paused.'))
  const list = statements(3)
  await send(list)
  expect((await show()).forward.state).toMatch(/paused/i)
  expect(target.posts()).toEqual([])
  expect(await forwards('resume')).toEqual(done('It goes on.'))
  await vi.waitFor(() => expect(target.ids()).toEqual(idsOf(list)), patient)
  expect(await forwards('send-again', '--since', 'yesterday')).toEqual(failed(/since/))
  expect(await forwards('send-again', '--since', '2001-01-01T00:00:00Z')).toEqual(
    done('It goes back to this time, and sends again from there on.'),
  )
  await vi.waitFor(() => expect([...target.times.values()]).toEqual([2, 2, 2]), patient)
  expect(await forwards('remove')).toMatchObject({ code: expect.not.stringMatching(/^0$/), out: '' })
  expect(await forwards('remove', '--yes')).toEqual(done('Removed. What the other store has, it keeps.'))
  expect(await forwards('show')).toEqual(failed(/no such forward/))
})

test('set changes what is given and nothing else; a new endpoint needs the secret again', async () => {
  const { target, send, secret, forwardId, forwards, show } = await added()
  const before = (await show()).forward
  expect(await forwards('set', '--name', 'School', '--verb', verb('won').id)).toMatchObject({ code: 0 })
  const changed = (await show()).forward
  expect(changed).toMatchObject({
    user: 'ann',
    settings: { ...before.settings, name: 'School', verb: verb('won').id },
  })
  const [won, played] = [statement({ verb: verb('won') }), statement({ verb: verb('played') })]
  await send([played, won])
  await vi.waitFor(() => expect(target.ids()).toEqual([won.id]), patient)
  const other = await targetLrs()
  expect(await forwards('set', '--endpoint', other.endpoint)).toEqual(failed(/must be given again/))
  const env = its.connected()
  const moved = ['forwards', 'set', forwardId, '--endpoint', other.endpoint, '--verb', '', '--secret-file', '-']
  const said = await run(moved, { env, input: 'another-secret\n' })
  expect(said).toEqual(done(expect.stringContaining(other.endpoint)))
  expect(said.out).not.toContain('another-secret')
  const more = statement({ verb: verb('played') })
  await send([more])
  await vi.waitFor(() => expect(other.ids()).toEqual([more.id]), patient)
  const header = `Basic ${Buffer.from('ann:another-secret').toString('base64')}`
  expect(other.posts()[0]!.headers.authorization).toBe(header)
  expect(await forwards('set', '--user', '', '--secret-file', secret, '--pseudonyms')).toMatchObject({ code: 0 })
  await send([statement()])
  await vi.waitFor(() => expect(other.posts()).toHaveLength(2), patient)
  expect(other.posts()[1]!.headers.authorization).toBe('Bearer very-secret-password')
  expect(await forwards('set', '--no-pseudonyms', '--attachments')).toMatchObject({ code: 0 })
  expect((await show()).forward.settings).toMatchObject({ attachments: true })
})
