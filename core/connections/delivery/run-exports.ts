import { exports as limits, leaseSeconds } from '../../../shared/limits.ts'
import { gameReader } from '../../games/access/game-reader.ts'
import { keyPlace } from '../command/export-jobs.ts'
import { pseudonymKey } from '../command/pseudonym-key.ts'
import type { Core } from '../../context.ts'
import { startLeasedWork } from '../../process/jobs/leased-work.ts'
import type { ExportForm } from '../export/form.ts'
import { exportEnded } from '../../accounts/notices/texts.ts'
import { exportStatements } from '../query/export-statements.ts'
import { isAway, Refusal } from '../../process/refusal.ts'
import type { LeasedExport } from '../store/export-jobs.ts'
import { exportFolder, exportPart } from '../../games/rules/storage-keys.ts'
import { Problem } from '../../process/problem.ts'
import { say } from '../../../shared/say.ts'

const daySeconds = 24 * 60 * 60

const notMade = 'It could not be made. Try again later.'

/** Another core has the export, or it was cancelled. */
class Lost extends Error {}

/**
 * Makes the exports that are asked for, one at a time in each core. A core that dies stops showing that it lives, and
 * another one goes on with what is written.
 * @param everyMs between two looks
 * @returns stops and lets go of the one under way
 */
export function startExports(core: Core, everyMs: number): () => Promise<void> {
  const { store, storage, log, jobs } = core

  async function make(job: LeasedExport, signal: AbortSignal): Promise<void> {
    try {
      // cores died with it, perhaps of it
      if (job.attempts > 2 * limits.attempts) return await end(job, notMade)
      await write(job, signal)
      await tell(job, '')
    } catch (error) {
      if (error instanceof Lost || signal.aborted) return
      if (isAway(error)) return await store.exportJobs.release(job)
      const isFinal = error instanceof Problem || (error instanceof Refusal && error.reason !== 'unavailable')
      log[isFinal ? 'info' : 'warn']({ err: error, export: job.exportId }, 'an export could not be made')
      if (isFinal) await end(job, (error as Error).message)
      else if (job.attempts >= limits.attempts) await end(job, notMade)
    }
  }

  /** The export ends together with its last part: after the end of a JSON list nobody may go on. */
  async function write(job: LeasedExport, signal: AbortSignal): Promise<void> {
    const form = await formOf(job)
    // a Parquet file has to be made in one go
    const isWhole = form.format === 'parquet'
    const begun = isWhole || job.place === null ? undefined : job
    let { statements, bytes, parts } = begun ?? { statements: 0, bytes: 0, parts: [] }
    const before = statements
    const query = { ...job.filters, after: begun?.place ?? undefined }
    const pieces = exportStatements(
      core,
      () => gameReader(core, job.studio, job),
      { ...query, until: earlier(query.until, job.created) },
      { ...form, continues: begun !== undefined },
      signal,
    )
    let waiting: Buffer[] = []
    let size = 0
    let place = begun?.place ?? 0
    const flush = async (isLast: boolean): Promise<void> => {
      bytes += size
      if (bytes > limits.fileBytes)
        throw new Problem('', say`would be larger than ${limits.fileBytes / 2 ** 30} GB: choose a shorter period`)
      if (size > 0) {
        parts = [...parts, job.attempts]
        await storage.write(exportPart(job.exportId, parts.length, job.attempts), Buffer.concat(waiting), size)
        ;[waiting, size] = [[], 0]
      }
      if (!(await store.exportJobs.reach(job, leaseSeconds, { place, statements, bytes, parts }, isLast)))
        throw new Lost()
    }
    for await (const piece of pieces) {
      if (size >= limits.partBytes) await flush(false)
      waiting.push(piece.data)
      size += piece.data.length
      statements = before + piece.statements
      place = piece.through
    }
    await flush(true)
  }

  async function formOf({ gameId, exportId, form, ...job }: LeasedExport): Promise<ExportForm> {
    const { pseudonyms, bare, ...rest } = form as unknown as Omit<ExportForm, 'pseudonymity' | 'continues'> & {
      pseudonyms: string
      bare: boolean
    }
    const caller = await gameReader(core, job.studio, { gameId, sandbox: job.sandbox })
    const key = job.pseudonymKey
      ? Buffer.from(core.sealer.open(keyPlace(exportId), job.pseudonymKey), 'base64url')
      : pseudonyms === 'game' && caller
        ? await pseudonymKey(core, caller.gameId)
        : undefined
    return {
      ...rest,
      continues: false,
      pseudonymity: key && { key, authority: caller?.authority ?? '{}', bare },
    }
  }

  async function end(job: LeasedExport, problem: string): Promise<void> {
    if (await store.exportJobs.end(job, problem.slice(0, 500))) await tell(job, problem)
  }

  /** After its end. */
  async function tell(job: LeasedExport, problem: string): Promise<void> {
    await store.garbage.list([exportFolder(job.exportId)], problem === '' ? limits.keptDays * daySeconds : 0)
    if (job.account !== null)
      await core.notices.tell({ accounts: [job.account] }, 'export', exportEnded(job, problem, limits.keptDays))
  }

  return startLeasedWork<LeasedExport>(
    { name: 'exports', ...store.exportJobs, deliver: make },
    { everyMs, jobs, log, atOnce: 1 },
  ).stop
}

/** What is stored after it was asked for does not belong to it. */
function earlier(until: string, created: number): string {
  const asked = new Date((created + 1) * 1000).toISOString()
  return until !== '' && Date.parse(until) < Date.parse(asked) ? until : asked
}
