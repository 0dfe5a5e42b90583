import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { emptyDatabase } from './support/database.ts'
import { startProcesses } from './support/processes.ts'
import { activity, player, statements } from './support/statements.ts'

const root = resolve(import.meta.dirname, '..')
const git = (...args: string[]): string => execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' }).trim()

/** The commit before the schema changed last; undefined without a history that reaches so far. */
function commitBefore(): string | undefined {
  if (!existsSync(join(root, '.git'))) return undefined
  const changed = git(
    'log',
    '-1',
    '--format=%H',
    '--',
    'core/process/database/migrations',
    'core/process/database/functions',
  )
  try {
    return git('rev-parse', '--verify', '--quiet', `${changed}^`)
  } catch {
    return undefined
  }
}

const before = commitBefore()
if (before === undefined) {
  console.warn('LEFT OUT: the rolling upgrade. It needs the git history up to the last change of the schema.')
}

test.skipIf(before === undefined)(
  'a core of the version before stores statements and documents without an error beside one that changes the schema',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lrs-version-before-'))
    execFileSync('tar', ['-x', '-C', folder], {
      input: execFileSync('git', ['-C', root, 'archive', before!], { maxBuffer: 1e9 }),
    })
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    const processes = await startProcesses({ cores: 2, database: await emptyDatabase(), firstCore: folder })
    try {
      const game = await processes.game()
      const sent: string[] = []
      const until = Date.now() + 1_000
      const batches = 5
      await Promise.all(
        [0, 1].map(async (core) => {
          const { statements: service, documents } = game.rpc(core)
          for (let n = 0; n < batches || Date.now() < until; n++) {
            const batch = statements(5)
            await service.storeStatements({ json: Buffer.from(JSON.stringify(batch)) })
            const state = { activityId: activity(`of-${core}`).id, agent: JSON.stringify(player('one')) }
            await documents.putDocument({
              scope: { kind: { case: 'state', value: state } },
              id: `${n % 3}`,
              content: Buffer.from(`${n}`),
              contentType: 'text/plain',
            })
            sent.push(...batch.map(({ id }) => id))
          }
        }),
      )
      const [stored] = await processes.database.sql<{ count: number }>(
        'select count(*)::int as count from statement where id = any ($1)',
        [sent],
      )
      expect(stored!.count).toBe(sent.length)
    } finally {
      await processes.close()
      await rm(folder, { recursive: true, force: true })
    }
  },
)
