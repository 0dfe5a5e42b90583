import { expect, onTestFinished, test, vi } from 'vitest'
import { statement, voiding } from '../support/statements.ts'
import { startSystem } from '../support/system.ts'
import { targetLrs } from '../support/target-lrs.ts'

test('wherever a statement names a learner, what arrives names nobody', async () => {
  const system = await startSystem({ forwardMs: 50 })
  onTestFinished(() => system.close())
  const target = await targetLrs()
  const game = await system.game()
  const registration = crypto.randomUUID()
  const ref = crypto.randomUUID()
  const eve = {
    objectType: 'Agent',
    name: 'Eve-Name',
    account: { homePage: 'https://eve.example', name: 'eve-account' },
  }
  const mail = { objectType: 'Agent', name: 'Eve-Name', mbox: 'mailto:eve-mail@example.org' }
  const team = { objectType: 'Group', name: 'Eve-Name', member: [eve, mail] }
  const context = { registration, instructor: mail, team, statement: { objectType: 'StatementRef', id: ref } }
  const whole = { context: { ...context, contextAgents: [{ objectType: 'contextAgent', agent: eve }] } }
  const { id: _, timestamp: __, ...sub } = statement({ actor: team, context }) as Record<string, unknown>
  const list = [
    statement({ actor: eve, ...whole }),
    statement({ actor: team, object: { objectType: 'SubStatement', ...sub } }),
    statement({ actor: mail, object: eve }),
    statement({ actor: mail, object: { objectType: 'StatementRef', id: ref } }),
  ]
  const store = (all: object[]) =>
    game.rpc(0, '2.0.0').statements.storeStatements({ json: Buffer.from(JSON.stringify(all)) })
  await store(list)
  await store([voiding(list[3]!.id)])
  const settings = { name: 'Partner', endpoint: target.endpoint, version: '2.0.0', pseudonyms: true }
  await system.admin.forwards.addForward({ gameId: game.id, settings, since: '2000-01-01T00:00:00Z' })
  await vi.waitFor(() => expect(target.ids()).toHaveLength(4), { timeout: 10_000 })
  const text = target
    .posts()
    .map(({ body, url, headers }) => `${body}${url}${JSON.stringify(headers)}`)
    .join()
  for (const secret of ['Eve', 'eve', registration, ref, ...list.map(({ id }) => id)])
    expect(text).not.toContain(secret)
})
