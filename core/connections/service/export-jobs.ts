import { ExportFormat, ExportState, Pseudonyms, type ExportService } from '../../../gen/lrs/v1/exports_pb.js'
import { exports as limits } from '../../../shared/limits.ts'
import { gameReader } from '../../games/access/game-reader.ts'
import { cancelExport, noExport, startExport } from '../command/export-jobs.ts'
import { countExport } from '../query/export-statements.ts'
import type { ExportJob } from '../store/export-jobs.ts'
import { exportPart } from '../../games/rules/storage-keys.ts'
import { method, type Methods } from '../../process/methods/declaration.ts'
import { filtersOf, formOf, pseudonymsOf, detailsOf } from './export-form.ts'
import { reads, game, ofGame } from '../../process/methods/audit-entries.ts'
import { developer, studioOf } from '../../process/methods/developer.ts'
import { byName } from '../../process/methods/enums.ts'

type Jobs = 'countExport' | 'startExport' | 'listExports' | 'getExport' | 'cancelExport'

/** Files that core makes beside calls, for members of the game's studio. */
export const exportJobs: Pick<Methods<typeof ExportService>, Jobs> = {
  countExport: method({ right: 'analyst', audit: reads }, async (core, request, context) => {
    const studio = await studioOf(core, context)
    return countExport(core, await gameReader(core, studio, request), filtersOf(request.filters))
  }),
  startExport: method(
    {
      right: 'analyst',
      audit: { ...ofGame('statements.export'), details: (request) => ({ ...detailsOf(request), job: true }) },
    },
    async (core, request, context) => {
      const person = await developer(core, context)
      const { gameId, sandbox, form } = request
      const filters = filtersOf(request.filters)
      // what is wrong with the filters is said now
      await countExport(core, await gameReader(core, person.studio, request), filters)
      const { continues: _, ...rest } = formOf({ form, after: 0n })
      const asked = { ...rest, pseudonyms: pseudonymsOf(form), bare: form?.bare ?? false }
      return { export: messageOf(await startExport(core, person, { gameId, sandbox, filters, form: asked })) }
    },
  ),
  listExports: method({ right: 'analyst', audit: reads }, async (core, { gameId }, context) => {
    const { studio } = await developer(core, context)
    await gameReader(core, studio, { gameId, sandbox: false })
    return { exports: (await core.store.exportJobs.list(gameId, studio, limits.listed)).map(messageOf) }
  }),
  getExport: method(
    {
      right: 'analyst',
      audit: {
        action: 'statements.download',
        subject: (_, done) => done?.export && game(done.export),
        details: ({ exportId }, done) => ({ export: done && exportId }),
        unless: ({ forFile }) => !forFile,
      },
    },
    async (core, { exportId }, context) => {
      const job = await core.store.exportJobs.find(exportId, (await developer(core, context)).studio)
      if (!job) throw noExport()
      return { export: messageOf(job) }
    },
  ),
  cancelExport: method(
    {
      right: 'analyst',
      audit: {
        action: 'statements.cancel-export',
        details: ({ exportId }, done) => ({ export: done && exportId }),
      },
    },
    async (core, { exportId }, context) => cancelExport(core, (await developer(core, context)).studio, exportId),
  ),
}

const formats: Readonly<Record<string, ExportFormat>> = byName(ExportFormat)
const pseudonyms = { none: Pseudonyms.NONE, export: Pseudonyms.OF_EXPORT, game: Pseudonyms.OF_GAME }

function messageOf(job: ExportJob) {
  const form = job.form as ReturnType<typeof formOf> & { pseudonyms: keyof typeof pseudonyms; bare: boolean }
  const state = stateOf(job)
  const isReady = state === ExportState.READY
  return {
    ...job,
    state,
    form: {
      ...form,
      format: formats[form.format],
      acceptLanguage: form.languages,
      byteOrderMark: form.mark,
      pseudonyms: pseudonyms[form.pseudonyms],
    },
    keptUntil: isReady ? job.ended + limits.keptDays * 24 * 60 * 60 : 0,
    keys: isReady ? job.parts.map((attempt, at) => exportPart(job.exportId, at + 1, attempt)) : [],
  }
}

function stateOf({ cancelled, ended, problem, begun }: ExportJob): ExportState {
  if (cancelled) return ExportState.CANCELLED
  if (ended > 0) return problem === '' ? ExportState.READY : ExportState.FAILED
  return begun ? ExportState.RUNNING : ExportState.WAITING
}
