import { existsSync, readFileSync, statSync } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { auditHead } from '../../start/postgres/audit-head.ts'
import { archiveOf, sourcesOf, type Source } from '../backup-files.ts'
import { Failed } from '../failed.ts'
import { progress } from '../progress.ts'
import type { Work } from '../command.ts'
import { amount, bytes } from '../show.ts'
import { partsOf, whileStopped, withPostgres } from '../stopped-store.ts'
import { version } from '../../shared/version.ts'

/** A copy of the stopped store of `npm start`: database, storage and secrets. */
export const backup: Work<{ file?: string; force?: boolean }> = async (session, { file: given, force }) => {
  const { env, ending } = session
  if (env['DATABASE_URL'])
    throw new Failed('DATABASE_URL is set. Back up that Postgres with its own tools: see docs/operating.md.')
  const path = resolve(given ?? `games-lrs-${new Date().toISOString().slice(0, 16).replaceAll(':', '')}.tar.gz`)
  const there = statSync(path, { throwIfNoEntry: false })
  if (there?.isDirectory()) throw new Failed(`${path} is a folder. Name a file.`)
  if (!existsSync(dirname(path))) throw new Failed(`The folder of ${path} does not exist.`)
  if (there && !force) throw new Failed(`${path} exists already: name another file, or overwrite it with --force.`)
  const parts = partsOf(env)
  return whileStopped(env, async () => {
    // an end in order leaves files that need no recovery, also after a crash
    const audit = await withPostgres(env, ({ url }) => auditHead(url))
    const sources: Source[] = []
    for (const [name, file] of Object.entries(parts)) {
      if (existsSync(file)) for await (const source of sourcesOf(name, file)) sources.push(source)
    }
    const total = sources.reduce((sum, { size }) => sum + size, 0)
    const about = {
      format: 1,
      made: new Date().toISOString(),
      version: version,
      postgres: readFileSync(join(parts.postgres, 'PG_VERSION'), 'utf8').trim(),
      auditHead: audit,
    } as const
    const bar = progress('Backing up', bytes)
    const making = `${path}.new`
    try {
      const file = await open(making, 'w', 0o600)
      await pipeline(
        archiveOf(sources, about, (read) => bar.show(read, total)),
        createGzip({ level: 1 }),
        file.createWriteStream({ flush: true }),
        { signal: ending },
      )
      await rename(making, path)
    } finally {
      bar.end()
      await rm(making, { force: true })
    }
    const { size } = await stat(path)
    const files = sources.filter(({ path }) => !path.endsWith('/')).length
    return {
      json: { path, files, bytes: total, size, ...(audit === undefined ? {} : { auditHead: audit }) },
      text: `${path}: ${amount(files, 'file')}, ${bytes(total)}, compressed ${bytes(size)}. It holds learners' data and secrets: keep it safe.${
        audit === undefined ? '' : `\nHead of the audit log: ${audit}`
      }`,
    }
  })
}
