import { SettingError } from '../../shared/settings/kinds.ts'
import type { Call } from '../command.ts'
import { openExport, reportOf } from '../export-file.ts'
import { exportRequest, type ExportOptions } from '../export-form.ts'
import { progress } from '../progress.ts'
import { microsOf, timeOf } from '../stored.ts'
import { actingFor, keyOf } from '../which-key.ts'

/** One file that core makes: with names of verbs and activities, or with pseudonyms. */
export const exportTable: Call<ExportOptions> = async (core, options, session) => {
  if (options.resume && options.format === 'json') throw new SettingError('--resume cannot continue JSON: use NDJSON.')
  if (options.resume && options.pseudonyms === 'export')
    throw new SettingError('--resume needs the same pseudonyms again: use --pseudonyms game.')
  const request = exportRequest(options)
  const key = await keyOf(session, core, options)
  const of = JSON.stringify({ core: session.config().coreUrl, key, request })
  const file = await openExport(session, options, of)
  const { count: before, stored: begun } = file.begun
  const bar = progress('Exporting')
  let count = before
  let pending: Buffer[] = []
  try {
    const after = begun === '' ? 0n : microsOf(begun)
    const parts = core.exports.exportStatements(
      { ...request, after },
      { ...actingFor(key), signal: session.ending, timeoutMs: 0 },
    )
    let through = after
    for await (const { data, ...part } of parts) {
      pending.push(Buffer.from(data))
      // what belongs to one place in the order is written as a whole
      if (part.through === through) continue
      ;[through, count] = [part.through, before + Number(part.statements)]
      await put(through)
      bar.show(count)
    }
    await put(through)
  } finally {
    bar.end()
    await file.close()
  }
  return reportOf(session, options.out, before, count)

  async function put(through: bigint): Promise<void> {
    const text = Buffer.concat(pending)
    pending = []
    if (text.length > 0) await file.add(text, { count, stored: through === 0n ? '' : timeOf(through) })
  }
}
