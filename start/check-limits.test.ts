import { expect, test } from 'vitest'
import { restatesLimit } from './check-limits.ts'

test.each([
  'const most = 2 * 1024 * 1024',
  'if (size > 2097152) throw refusal()',
  'const bound = 2_097_152',
  'const statementsBody = 2 * MiB',
  'const most = 512 * 1024',
  'limit: 512 * KiB',
  'if (size > 524_288) throw refusal()',
  'const all = 25 * 1024 * 1024 * 1024',
  "throw new Problem('at most 2 MB')",
  '<p>Documents of 512 KB</p>',
  '`up to 2 MiB`',
  "'a build of 1 GB'",
  "'a logo of at most 5 MB'",
  'const maxStatements = 250',
  "'At most 250 statements in one request.'",
  'if (statements.length > 250) {',
  "'A session lasts two hours.'",
  "'It ends after 2 hours'",
  'const seconds = 7200',
  'const lifetime = 2 * 60 * 60',
  'const seconds = 7_200',
])('%s states a limit again', (line) => expect(restatesLimit(line)).toBe(true))

test.each([
  '/** Starts a session of two hours. */',
  ' * At most 250 statements.',
  'const a = 1 // 2 MB',
  'const buffer = 32 * 1024 * 1024',
  'const reserve = 512 * 1024 * 1024',
  'const tick = 250',
  'const usual = { first: 250 }',
  'const kept = { bytes: 12 * 1024 * 1024 }',
  "'12 MB'",
  "'32 hours'",
  "'1,250 statements'",
  'const c = 12 * 60 * 60',
  'pageBytes[form] ?? 2 * MiB',
])('%s does not', (line) => expect(restatesLimit(line)).toBe(false))
