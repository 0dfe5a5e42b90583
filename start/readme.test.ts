import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fieldOf, namesOf } from '../shared/settings/settings.ts'
import { settingsPage, settingsTable } from '../shared/settings/settings-page.ts'
import { readers, table, type Reader } from '../shared/settings/table.ts'
import { unknownSettings } from '../shared/settings/unknown-settings.ts'

const root = resolve(import.meta.dirname, '..')
const setting =
  /\b(?:(?:LRS|OTEL)_[A-Z0-9_]+|DATABASE_URL|CORE_URL|CORE_RELAY_URL|(?:GATEWAY|PORTAL|PLAYER|CORE|CORE_RELAY)_(?:METRICS_|OWN_)?(?:PORT|HOST))\b/g
/** What processes of ours tell each other. */
const internal = new Set(['LRS_BOOTSTRAP_PARENT', 'LRS_BOOTSTRAP_PATH', 'LRS_PARENT_PIPE', 'LRS_TEST_'])

const settingsIn = (text: string): string[] =>
  [...new Set(text.match(setting))].filter((name) => !internal.has(name)).toSorted()
const all = Object.keys(table)

const sources = (folders: string): string => {
  const files = globSync(`${folders}/**/*.{ts,mjs}`, {
    cwd: root,
    exclude: ['**/*.test.ts', '**/fixtures/**', 'shared/settings/table.ts'],
  })
  return files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n')
}

/** Where the code of a reader is. */
const folderOf = (reader: Reader): string =>
  (
    { files: 'storage', uploads: 'storage', traces: 'shared', metrics: 'shared', callers: 'shared' } as Record<
      string,
      string
    >
  )[reader] ?? reader

describe('the table of settings', () => {
  test('has every name that the code has', () => {
    // comments and messages name settings too, so those of the environment are quoted or members of `env`
    const read = sources('{admin,core,gateway,player,portal,shared,start,storage}').match(
      /'[A-Z][A-Z0-9_]+'|env\.[A-Z][A-Z0-9_]+/g,
    )
    expect(all).toEqual(expect.arrayContaining(settingsIn(read!.join(' '))))
  })

  test.each(Object.keys(readers) as Reader[])('%s uses each setting that it reads', (reader) => {
    const code = sources(folderOf(reader))
    const unused = namesOf(reader).filter(
      (name) => !code.includes(`'${name}'`) && !new RegExp(`\\b${fieldOf(name, reader)}\\b`).test(code),
    )
    // the only protocol there is has no use but to refuse others
    expect(unused.filter((name) => name !== 'OTEL_EXPORTER_OTLP_PROTOCOL')).toEqual([])
  })

  test('is docs/settings.md (start/write-settings.ts writes it)', () =>
    expect(readFileSync(join(root, 'docs/settings.md'), 'utf8')).toBe(settingsPage()))

  test('has each row of the table in README.md', () => {
    const rows = readFileSync(join(root, 'README.md'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
    expect(rows.length).toBeGreaterThan(5)
    for (const row of rows) expect(settingsTable('docs/')).toContain(row)
  })
})

describe('a name that is not a setting', () => {
  test.each([
    [{ LRS_RATE_LIMIT: 'off' }, ['LRS_RATE_LIMIT is not a setting; did you mean LRS_RATE_LIMITS?']],
    [
      { LRS_LOGLEVEL: 'debug', LRS_DIALEKT: 'xapi' },
      [
        'LRS_DIALEKT is not a setting; did you mean LRS_DIALECT?',
        'LRS_LOGLEVEL is not a setting; did you mean LRS_LOG_LEVEL?',
      ],
    ],
    [
      { LRS_SOMETHING_ELSE_ALTOGETHER: '1' },
      ['LRS_SOMETHING_ELSE_ALTOGETHER is not a setting; docs/settings.md names all'],
    ],
    [{ LRS_RATE_LIMITS: 'off', LRS_PARENT_PIPE: '1', LRS_TEST_DATABASE: 'x', PATH: '/bin' }, []],
  ])('%j is told', (env, lines) => expect(unknownSettings(env)).toEqual(lines))

  test('in one line on stderr when a process starts, which starts all the same', async () => {
    const { spawnSync } = await import('node:child_process')
    const { stderr } = spawnSync(process.execPath, [join(root, 'gateway/main.ts')], {
      env: { PATH: process.env['PATH'], LRS_RATE_LIMIT: 'off' },
      encoding: 'utf8',
      timeout: 60_000,
    })
    expect(stderr.split('\n')).toEqual([
      'LRS_RATE_LIMIT is not a setting; did you mean LRS_RATE_LIMITS?',
      expect.stringMatching(/^LRS_SERVICE_TOKEN is not set/),
      '',
    ])
  })
})
