import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { emptyDatabase } from './support/database.ts'
import { expectInOrder, missedBy, type Seen } from './support/followed.ts'
import { startProcesses } from './support/processes.ts'
import { activity, player, statements } from './support/statements.ts'

/** The version that is upgraded, of 24 November 2026. A tag takes its place with the first release. */
const from = 'e10f384fec78aa51b3c013383b77cc55d6c4aace'

const root = resolve(import.meta.dirname, '..')
const git = (...args: string[]): Buffer =>
  execFileSync('git', ['-C', root, ...args], { maxBuffer: 1e9, stdio: ['ignore', 'pipe', 'ignore'] })

/** The source of that version; undefined without a history that reaches so far. */
function source(): Buffer | undefined {
  try {
    return existsSync(join(root, '.git')) ? git('archive', from) : undefined
  } catch {
    return undefined
  }
}

const archive = source()
if (archive === undefined) console.warn(`LEFT OUT: the rolling upgrade. It needs the git history up to ${from}.`)

test.skipIf(archive === undefined)(
  'a rolling upgrade under load changes the schema, loses nothing, and answers nothing but 503 beside what is asked',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lrs-version-before-'))
    execFileSync('tar', ['-x', '-C', folder], { input: archive })
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    const processes = await startProcesses({ cores: 2, database: await emptyDatabase(), firstCore: folder })
    const schema = async () =>
      (await processes.database.sql<{ version: number }>('select max(version) as version from schema_version'))[0]!
    try {
      const before = await schema()
      const game = await processes.game()
      const xapi = game.xapi()
      const sent: string[] = []
      const unexpected: string[] = []
      let over = false
      const served = async (what: string, request: () => Promise<{ status: number; text: string }>) => {
        for (;;) {
          const { status, text } = await request()
          if (status < 300) return
          if (status !== 503) throw new Error(`${what}: ${status} ${text}`)
          await sleep(50)
        }
      }
      const writing = [0, 1].map(async (writer) => {
        const query = { activityId: activity(`of-${writer}`).id, agent: JSON.stringify(player('one')), stateId: 'save' }
        for (let n = 0; !over; n++) {
          const batch = statements(5)
          await served('POST', () => xapi.post(batch))
          sent.push(...batch.map(({ id }) => id))
          await served('PUT', () => xapi.request('PUT', 'activities/state', { query, body: { n } }))
        }
      })
      const seen: Seen[] = []
      const reading = (async () => {
        for (let ended = false; ;) {
          const page = await xapi.get({ since: seen.at(-1)?.stored, ascending: true, limit: 200 })
          if (page.status === 503) await sleep(50)
          else if (page.status !== 200) throw new Error(`GET: ${page.status} ${page.text}`)
          else if (page.json.statements.length > 0) seen.push(...page.json.statements)
          else if (ended) return
          else ended = over
        }
      })()
      for (const work of [...writing, reading]) work.catch((error: unknown) => unexpected.push(String(error)))
      const enough = (count: number) => expect.poll(() => unexpected.length > 0 || sent.length >= count).toBe(true)
      await enough(50)
      await processes.reviveCore(1)
      expect((await schema()).version).toBeGreaterThan(before.version)
      // both versions at once
      await enough(sent.length + 50)
      const [old] = processes.pids().cores
      process.kill(old!, 'SIGTERM')
      await enough(sent.length + 50)
      over = true
      await Promise.allSettled(writing)
      await Promise.allSettled([reading])
      expect(unexpected).toEqual([])
      expectInOrder(seen)
      expect(missedBy(seen, sent)).toBe(0)
      const [{ count }] = (await processes.database.sql('select count(*)::int as count from statement')) as [
        { count: number },
      ]
      expect(count).toBe(seen.length)
    } finally {
      await processes.close()
      await rm(folder, { recursive: true, force: true })
    }
  },
)
