import type { StatementFilter } from '../../../shared/statement-filters.ts'
import { randomBytes, randomUUID } from 'node:crypto'
import { exports as limits, leaseSeconds } from '../../../shared/limits.ts'
import { noGame } from '../../records/access/no-game.ts'
import type { Core } from '../../context.ts'
import { Refusal } from '../../process/refusal.ts'
import type { ExportJob } from '../store/export-jobs.ts'
import { exportFolder } from '../../games/rules/storage-keys.ts'

const daySeconds = 24 * 60 * 60

/** Where the key of an export's own pseudonyms is kept until the file is made. */
export const keyPlace = (exportId: string) => ({ table: 'export_job', column: 'pseudonym_key', row: exportId })

export interface AskedExport {
  readonly gameId: string
  readonly sandbox: boolean
  readonly filters: StatementFilter
  readonly form: Readonly<Record<string, unknown>> & { readonly pseudonyms: 'none' | 'export' | 'game' }
}

/** Asks for a file that is made beside calls. @throws Refusal 'conflict' */
export async function startExport(
  { store, sealer }: Pick<Core, 'store' | 'sealer'>,
  { studio, accountId }: { readonly studio: number; readonly accountId: string },
  { gameId, sandbox, filters, form }: AskedExport,
): Promise<ExportJob> {
  if (!(await store.games.tenant(gameId, studio, sandbox))) throw noGame()
  const exportId = randomUUID()
  const pseudonymKey =
    form.pseudonyms === 'export' ? sealer.seal(keyPlace(exportId), randomBytes(32).toString('base64url')) : null
  // listed first, so that the files are deleted even if this core dies before the job is stored
  await store.garbage.list([exportFolder(exportId)], 2 * limits.keptDays * daySeconds)
  const asked = { exportId, gameId, studio, accountId, sandbox, filters, form, pseudonymKey }
  if (!(await store.exportJobs.add(asked, limits.openOfStudio)))
    throw new Refusal(
      'conflict',
      `Your studio has ${limits.openOfStudio} exports under way. Wait until one is ready, or cancel one.`,
    )
  return (await store.exportJobs.find(exportId, studio))!
}

/** Ends an export, or removes the file of one that is ready. @throws Refusal 'not-found' */
export async function cancelExport({ store }: Pick<Core, 'store'>, studio: number, exportId: string): Promise<void> {
  if (!(await store.exportJobs.cancel(exportId, studio))) throw noExport()
  // a part that is being written is there by then
  await store.garbage.list([exportFolder(exportId)], 2 * leaseSeconds)
}

export const noExport = (): Refusal => new Refusal('not-found', 'There is no such export, or it is not kept any more.')
