import { randomBytes } from 'node:crypto'
import type { HandlerContext } from '@connectrpc/connect'
import { Pseudonyms, ExportService, type ExportStatementsRequest } from '../../../gen/lrs/v1/exports_pb.js'
import { exports as limits } from '../../../shared/limits.ts'
import type { Caller } from '../../records/access/caller.ts'
import { gameReader } from '../../games/access/game-reader.ts'
import { renewedHolder } from '../../accounts/access/token-holder.ts'
import { pseudonymKey } from '../command/pseudonym-key.ts'
import type { Core } from '../../context.ts'
import { Refusal } from '../../process/refusal.ts'
import { exportStatements } from '../query/export-statements.ts'
import { callOf } from '../../process/methods/call.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { detailsOf, formOf, queryOf } from './export-form.ts'
import { exportJobs } from './export-jobs.ts'
import { studioOf } from '../../process/methods/developer.ts'

/** Milliseconds after which it is asked again whether the caller may still read. */
const renewMs = 60_000

export const exportService = service(ExportService, {
  ...exportJobs,
  exportStatements: method(
    { right: 'analyst', token: 'read', audit: 'statements.export' },
    async function* (core, request, context) {
      const studio = await renewed(core, context)
      const call = callOf(context)
      const open = () => gameReader(core, studio, { ...request, key: call.onBehalf })
      const caller = await open()
      const form = formOf(request)
      call.told = { subject: { kind: 'game', id: caller?.gameId ?? request.gameId }, details: detailsOf(request) }
      const key = await keyOf(core, request, caller)
      const release = core.exporting.take(studio ?? 'admins')
      const signal = AbortSignal.any([context.signal, core.exporting.ending])
      try {
        let asked = performance.now()
        let reached = { statements: 0, through: Number(request.after) }
        const pieces = exportStatements(
          core,
          open,
          queryOf(request),
          { ...form, pseudonymity: key && { key, authority: caller?.authority ?? '{}', bare: !!request.form?.bare } },
          signal,
        )
        for await (const { data, statements, through } of pieces) {
          if (performance.now() - asked > renewMs) {
            await renewed(core, context)
            asked = performance.now()
          }
          let at = 0
          for (; at + limits.pageBytes < data.length; at += limits.pageBytes)
            yield { ...reached, data: data.subarray(at, at + limits.pageBytes) }
          reached = { statements, through }
          yield { ...reached, data: data.subarray(at) }
        }
      } catch (error) {
        if (!core.exporting.ending.aborted) throw error
        throw new Refusal('unavailable', 'This core is stopping; start the export again.')
      } finally {
        release()
      }
    },
  ),
})

/** The studio whose games are exported; undefined: an admin exports any game. @throws Refusal once a token has ended */
async function renewed(core: Core, context: HandlerContext): Promise<number | undefined> {
  const call = callOf(context)
  if (call.holder) call.holder = await renewedHolder(core.store, call.holder, core.notices.mail)
  return studioOf(core, context)
}

/** The key of the file's pseudonyms; undefined: it has none. */
async function keyOf(
  core: Core,
  { form }: ExportStatementsRequest,
  caller: Caller | undefined,
): Promise<Uint8Array | undefined> {
  // a game without a credential has no statements
  if (form?.pseudonyms === Pseudonyms.OF_GAME && caller) return pseudonymKey(core, caller.gameId)
  return form?.pseudonyms === Pseudonyms.OF_EXPORT ? randomBytes(32) : undefined
}
