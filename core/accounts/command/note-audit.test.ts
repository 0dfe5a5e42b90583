import { expect, test, vi } from 'vitest'
import type { NewAuditEntry } from '../store/audit.ts'
import type { Note } from './audit-entry.ts'
import { noteAudit } from './note-audit.ts'

function logOf({ fails = false, ofAccount = 300 } = {}) {
  const rows: NewAuditEntry[] = []
  const lost: unknown[] = []
  const add = vi.fn<(entries: readonly NewAuditEntry[]) => Promise<void>>(async (entries) => {
    if (fails) throw new Error('the database is away')
    rows.push(...entries)
  })
  const store = {
    audit: {
      add,
      account: async (email: string) =>
        email.startsWith('nobody') ? undefined : { id: email, name: email, studio: null },
    },
    studios: {},
    credentials: {},
  }
  const audit = noteAudit(store as never, {
    log: { error: (...given: unknown[]) => void lost.push(given) },
    onLost: () => {},
    everyMs: 1_000_000,
    kinds: 500,
    ofAccount,
  })
  return { audit, rows, lost }
}

const stranger = { action: 'account.sign-in', actor: { kind: 'stranger' }, outcome: 'unauthenticated' } satisfies Note
const member = { action: 'game.update', actor: { kind: 'account', id: 'a', name: 'ann@example.org' } } satisfies Note

test('strangers from 10,000 networks make at most 500 entries, and all are counted', async () => {
  const { audit, rows } = logOf()
  for (let n = 0; n < 10_000; n++) await audit.note({ ...stranger, address: `10.${n >> 8}.${n & 255}.1` })
  await audit.close()
  expect(rows.length).toBeLessThanOrEqual(501)
  expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(10_000)
})

test('a stranger who tries 1,000 accounts makes 51 entries, or one if there are no such accounts', async () => {
  const { audit, rows } = logOf()
  for (let n = 0; n < 1_000; n++)
    await audit.note({ ...stranger, address: '10.0.0.1', subject: { kind: 'account', id: `${n}@example.org` } })
  for (let n = 0; n < 40; n++)
    await audit.note({ ...stranger, address: '10.0.0.2', subject: { kind: 'account', id: `nobody-${n}@example.org` } })
  await audit.close()
  expect(rows.at(-1)).toMatchObject({ address: '10.0.0.2', subject: undefined, count: 40 })
  rows.pop()
  expect(rows).toHaveLength(51)
  expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(1_000)
})

test('a member who changes something 10,000 times makes 301 entries, and others keep theirs', async () => {
  const { audit, rows } = logOf()
  for (let n = 0; n < 10_000; n++) await audit.note(member)
  await audit.note({ ...member, actor: { kind: 'account', id: 'b' } })
  await audit.close()
  expect(rows).toHaveLength(302)
  expect(rows.at(-2)).toMatchObject({ actor: { id: 'b' }, count: 1 })
  expect(rows.at(-1)).toMatchObject({ actor: { id: 'a' }, count: 9_700 })
})

test('an entry that cannot be written is logged whole, and the call does not fail', async () => {
  const { audit, lost } = logOf({ fails: true })
  await audit.note(member)
  await audit.close()
  expect(JSON.stringify(lost)).toContain('ann@example.org')
})

test('texts are cut, and have nothing that Postgres cannot store', async () => {
  const { audit, rows } = logOf()
  await audit.note({ ...member, details: { prefix: `\0\ud800${'x'.repeat(1_000_000)}` } })
  expect(String(rows[0]!.details['prefix'])).toMatch(/^\ufffd\ufffdx{1,199}/)
  expect(JSON.stringify(rows).length).toBeLessThan(1_000)
})
