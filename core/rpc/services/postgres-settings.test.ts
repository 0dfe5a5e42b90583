import { expect, test } from 'vitest'
import { rules, wrongSettings } from './postgres-settings.ts'

test.each([
  ['fsync', 'on', 'off', 'durability'],
  ['full_page_writes', 'on', 'off', 'durability'],
  ['synchronous_commit', 'remote_apply', 'local', 'durability'],
  ['default_transaction_read_only', 'off', 'on', 'writable'],
  ['server_encoding', 'UTF8', 'SQL_ASCII', 'encoding'],
  ['session_replication_role', 'origin', 'replica', 'triggers'],
  ['transaction_timeout', '0', '60000', 'long-work'],
  ['track_activities', 'on', 'off', 'silent-connections'],
  ['autovacuum', 'on', 'off', 'upkeep'],
  ['wal_level', 'logical', 'minimal', 'replication'],
])('%s = %s is right, %s is told as %s', (setting, right, wrong, check) => {
  expect(rules.map(([, name]) => name)).toContain(setting)
  expect(wrongSettings(new Map([[setting, right]]))).toEqual([])
  expect(wrongSettings(new Map([[setting, wrong]]), 'east')).toMatchObject([
    { name: `${check}-east`, message: expect.stringContaining(`${setting} is ${wrong}: `) },
  ])
})

test('settings of one check are one finding', () => {
  const set = new Map([
    ['fsync', 'off'],
    ['synchronous_commit', 'off'],
  ])
  expect(wrongSettings(set)).toMatchObject([
    { name: 'durability', message: expect.stringMatching(/^fsync is off, synchronous_commit is off: /) },
  ])
})
