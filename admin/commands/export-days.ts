import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { SettingError } from '../../shared/settings/kinds.ts'
import { again } from '../again.ts'
import { amount, number } from '../show.ts'
import type { Call } from '../command.ts'
import type { CoreClient } from '../core-client.ts'
import { exportRequest, type ExportOptions } from '../export-form.ts'
import { Failed } from '../failed.ts'
import { progress } from '../progress.ts'
import type { Session } from '../session.ts'
import { readState, writeState } from '../state-file.ts'
import { storedOf, timeOf } from '../stored.ts'
import { actingFor, keyOf } from '../which-key.ts'

/** What the folder has, in `_games-lrs-export.json`: readers of a folder of Parquet skip names that begin with `_`. */
interface Days {
  /** Which statements and columns. */
  readonly of: string
  /** The last day that is whole, such as `2026-11-21`; empty: none. */
  readonly whole: string
}

/** Parquet files by UTC day of `stored`: those that are missing, and the last one again, which was not over. */
export const exportDays: Call<ExportOptions> = async (core, { to, force, ...options }, session) => {
  if (to === undefined) throw new SettingError('Name the folder of the files with --to <folder>.')
  if (options.since !== undefined || options.until !== undefined)
    throw new SettingError('Files by day have whole days: leave --since and --until out, and choose files instead.')
  if (options.pseudonyms === 'export')
    throw new SettingError('Each day is a file, and a learner has the same pseudonym in all: use --pseudonyms game.')
  const key = await keyOf(session, core, options)
  const request = exportRequest({ ...options, format: 'parquet' })
  await mkdir(to, { recursive: true })
  const statePath = join(to, '_games-lrs-export.json')
  // its name before 0.2
  await rename(join(to, 'games-lrs-export.json'), statePath).catch(() => {})
  const of = JSON.stringify({ core: session.config().coreUrl, key, request })
  const kept = force ? undefined : await readState<Days>(statePath)
  if (kept && kept.of !== of)
    throw new Failed(`${to} has files with other filters, other columns or of another core. Name another folder.`)
  let whole = kept?.whole ?? ''
  const bar = progress('Exporting')
  let [days, count] = [0, 0]
  try {
    for (let from = ''; ;) {
      const next = await firstAfter(session, core, key, from)
      if (next.stored === '') break
      const day = next.stored.slice(0, 10)
      const path = join(to, `statements-${day}.parquet`)
      if (day > whole || !(await isThere(path))) {
        const written = await again(session, () => writeDay(day, path))
        count += written
        days++
      }
      // a day is over once everything of it is visible
      if (day < next.through.slice(0, 10) && day > whole) await writeState(statePath, { of, whole: (whole = day) })
      else if (kept === undefined && whole === '') await writeState(statePath, { of, whole })
      from = endOf(day)
    }
  } finally {
    bar.end()
  }
  const text = `${amount(days, 'file')} with ${amount(count, 'statement')} in ${to}.`
  return {
    json: { folder: to, files: days, statements: count, whole },
    text: days > 0 ? text : `Nothing new in ${to}.`,
  }

  /** A file appears whole or not at all. */
  async function writeDay(day: string, path: string): Promise<number> {
    const arriving = join(to!, `.statements-${day}.part`)
    const file = await open(arriving, 'w')
    let statements = 0
    try {
      const filters = { ...request.filters, since: endOf(dayBefore(day)), until: endOf(day) }
      const parts = core.exports.exportStatements(
        { ...request, filters },
        { ...actingFor(key), signal: session.ending, timeoutMs: 0 },
      )
      for await (const part of parts) {
        await file.write(part.data)
        statements = Number(part.statements)
        bar.show(count + statements)
      }
      await file.sync()
    } finally {
      await file.close()
    }
    if (statements === 0) await rm(arriving)
    else await rename(arriving, path)
    session.note(`${day}  ${number(statements)}`)
    return statements
  }
}

/** The first statement of the game after a time, without the filters; and how far the order is complete. */
async function firstAfter(session: Session, core: CoreClient, key: string, since: string) {
  const { json, consistentThrough } = await again(session, () =>
    core.statements.queryStatements(
      { since, ascending: true, limit: 1 },
      { ...actingFor(key), signal: session.ending },
    ),
  )
  return { stored: json[0] ? storedOf(json[0]) : '', through: timeOf(consistentThrough) }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
const endOf = (day: string): string => `${day}T23:59:59.999999Z`
const dayBefore = (day: string): string => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)
