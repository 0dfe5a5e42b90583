import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { endAll } from '../start/fixtures/launch.ts'
import { done, failed, run } from './support/admin.ts'
import { addStudio, type Studio } from './support/studios.ts'
import { startSystem, tokens, type System } from './support/system.ts'
import { isSignedWith, startReceiver } from './webhooks/receiver.ts'

let system: System
let studio: Studio
let receiver: Awaited<ReturnType<typeof startReceiver>>
let coreUrl: string
beforeAll(async () => {
  system = await startSystem({ gateways: 0, webhookMs: 100 })
  studio = await addStudio(system, 'Blue Fox')
  receiver = await startReceiver()
  coreUrl = `http://127.0.0.1:${system.cores[0]!.port}`
})
afterAll(async () => {
  endAll()
  await receiver.close()
  await system.close()
})

const webhooks = (...args: string[]) =>
  run(['webhooks', ...args], { env: { LRS_CORE_URL: coreUrl, LRS_SERVICE_TOKEN: tokens.admin } })

test('a webhook is added, tested, repeated, rotated, paused and removed on the command line', async () => {
  await studio.on().games.createGame({ name: 'Chess' })
  const slug = 'chess'
  expect(await webhooks('list', slug)).toEqual(done('There are no webhooks.'))
  expect((await webhooks('add', slug, '--url', 'ftp://x', '--events', 'review.approved')).error).toContain(
    'settings.url',
  )
  const { out } = await webhooks('add', slug, '--url', receiver.url, '--events', 'review.approved', '--name', 'Ours')
  const [, id] = /^id +([0-9a-f-]{36})$/m.exec(out)!
  const [, secret] = /^secret +(whsec_\S+)$/m.exec(out)!
  expect(out).toContain('not shown again')
  expect((await webhooks('list')).out).toMatch(new RegExp(`^${id} +\\S+ +Ours +running`, 'm'))

  const [, delivery] = /^Under way: (msg_[0-9a-f]{32})\./.exec((await webhooks('test', id!)).out)!
  await vi.waitFor(() => expect(receiver.received.map((one) => one.id)).toEqual([delivery]), 15_000)
  expect(isSignedWith(secret!, receiver.received[0]!)).toBe(true)
  await vi.waitFor(
    async () =>
      expect((await webhooks('show', id!)).out).toMatch(
        new RegExp(`^${delivery} .* webhook\\.test +delivered +1 +204$`, 'm'),
      ),
    15_000,
  )
  expect((await webhooks('show', id!)).out).not.toContain('whsec_')
  expect(await webhooks('repeat', id!, delivery!)).toEqual(done('It is sent once more.'))
  await vi.waitFor(() => expect(receiver.received.map((one) => one.id)).toEqual([delivery, delivery]), 15_000)

  const rotated = JSON.parse((await webhooks('rotate', id!, '--json')).out) as { secret: string }
  expect(rotated.secret).toMatch(/^whsec_/)
  expect(await webhooks('rotate', id!)).toEqual(
    failed(/^The oldest secret signs until .* UTC\. End it at once\? Add --yes to confirm\.$/, 2),
  )
  expect((await webhooks('rotate', id!, '--yes')).out).toMatch(/^secret +whsec_/m)

  const { out: sent } = await webhooks('delivery', id!, delivery!)
  expect(sent).toMatch(/^event +webhook\.test$/m)
  expect(JSON.parse(sent.split('\n\n')[1]!)).toMatchObject({ type: 'webhook.test' })
  const changed = JSON.parse(
    (await webhooks('set', id!, '--events', 'review.rejected', 'build.uploaded', '--json')).out,
  ) as object
  expect(changed).toMatchObject({
    webhook: { settings: { name: 'Ours', url: receiver.url, events: ['review.rejected', 'build.uploaded'] } },
  })
  expect((await webhooks('set', id!, '--url', 'ftp://x')).error).toContain('settings.url')
  expect((await webhooks('show', id!)).out).toMatch(/^events +review\.rejected build\.uploaded$/m)

  expect(await webhooks('pause', id!)).toEqual(done('Paused.'))
  expect((await webhooks('test', id!)).error).toContain('paused or turned off')
  expect(await webhooks('resume', id!)).toEqual(done('It goes on.'))
  expect(await webhooks('remove', id!)).toEqual(failed(/^Remove the webhook Ours \(http.*Add --yes to confirm\.$/, 2))
  expect(await webhooks('remove', id!, '--yes')).toEqual(done('Removed: Ours.'))
  expect(await webhooks('list', slug)).toEqual(done('There are no webhooks.'))
  expect((await webhooks('show', id!)).error).toContain('There is no such webhook.')
})
