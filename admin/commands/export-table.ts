import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { SettingError } from '../../shared/settings/kinds.ts'
import { amount, number } from '../amount.ts'
import type { Call } from '../command.ts'
import { openExport } from '../export-file.ts'
import { exportRequest, type ExportOptions } from '../export-form.ts'
import { progress } from '../progress.ts'
import { microsOf, timeOf } from '../stored.ts'
import { actingFor, keyOf } from '../which-key.ts'

const compress = promisify(gzip)

/** One file that core makes: with names of verbs and activities, or with pseudonyms. */
export const exportTable: Call<ExportOptions> = async (
  core,
  { out, gzip: zipped, resume, force, ...options },
  session,
) => {
  if (resume && options.format === 'json') throw new SettingError('--resume cannot continue JSON: use NDJSON.')
  if (resume && options.pseudonyms === 'export')
    throw new SettingError('--resume needs the same pseudonyms again: use --pseudonyms game.')
  const request = exportRequest(options)
  const key = await keyOf(session, core, options)
  const of = JSON.stringify({ core: session.config().coreUrl, key, request })
  const file =
    out === undefined ? undefined : await openExport(out, of, { zipped: !!zipped, resume: !!resume, force: !!force })
  const { count: before, stored: begun } = file?.begun ?? { count: 0, stored: '' }
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
    await file?.close()
  }
  if (session.json && file) return { json: { file: out!, added: count - before, statements: count }, text: '' }
  session.note(
    before > 0
      ? `${amount(count - before, 'statement was', 'statements were')} added, ${number(count)} in all.`
      : `${amount(count, 'statement')}.`,
  )

  async function put(through: bigint): Promise<void> {
    const text = Buffer.concat(pending)
    pending = []
    if (text.length === 0) return
    if (file) await file.add(text, { count, stored: through === 0n ? '' : timeOf(through) })
    else await session.write(zipped ? await compress(text) : text)
  }
}
