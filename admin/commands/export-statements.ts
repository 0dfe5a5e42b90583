import { SettingError } from '../../shared/settings/kinds.ts'
import { command } from '../command.ts'
import { saveContents } from '../contents.ts'
import { columnsOf, csvHead, csvRow, type Column } from '../csv.ts'
import { openExport, reportOf } from '../export-file.ts'
import { exported } from '../export-form.ts'
import { filterOf } from '../filter.ts'
import { pages } from '../pages.ts'
import { progress } from '../progress.ts'
import { lineOf, storedOf } from '../stored.ts'
import { keyOf } from '../which-key.ts'

/** Oldest first, so that whatever is stored meanwhile comes last. */
export const exportStatements = command({
  about: 'write all that match, the oldest first, to a file or to stdout',
  options: exported,
  examples: [
    'statements export --game chess --out chess.ndjson.gz --gzip',
    'statements export --game chess --out chess.ndjson.gz --gzip --resume',
    'statements export --game chess --format csv --out chess.csv',
    'statements export --game chess --format csv --columns actor.account.name,verb.id,result.score.scaled ' +
      '--out chess.csv',
    'statements export --game chess --format parquet --to chess --pseudonyms game',
  ],
  async run(core, { as, ...given }, session) {
    const options = { ...given, format: as ?? given.format }
    const { format } = options
    if (format === 'parquet') return (await import('./export-days.ts')).exportDays(core, options, session)
    if (options.to !== undefined)
      throw new SettingError('--to is for files by day: add --format parquet, or use --out.')
    if (format !== 'csv' && options.columns !== undefined)
      throw new SettingError('--columns is for CSV: add --format csv.')
    const isPlain = format === 'ndjson' || options.columns !== undefined
    if (!isPlain || options.pseudonyms !== undefined) {
      if (options.columns !== undefined)
        throw new SettingError('--columns takes statements as they are: leave it out with --pseudonyms.')
      if (options.attachments !== undefined)
        throw new SettingError('--attachments is for NDJSON without pseudonyms, and for CSV with --columns.')
      return (await import('./export-table.ts')).exportTable(core, options, session)
    }
    const columns = options.columns === undefined ? undefined : columnsOf(options.columns)
    for (const name of ['resume', 'force'] as const)
      if (options[name] && options.out === undefined)
        throw new SettingError(`--${name} needs --out: output to stdout always starts over.`)
    const key = await keyOf(session, core, options)
    const filter = {
      ...filterOf({ ...options, format: 'exact' }),
      ascending: true,
      attachments: options.attachments !== undefined,
    }
    const of = JSON.stringify({ core: session.config().coreUrl, key, filter, columns })
    const file = await openExport(session, options, of)
    const bar = progress('Exporting')
    let { count, stored } = file.begun
    const before = count
    try {
      if (columns && file.begun.bytes === 0) await file.add(Buffer.from(csvHead(columns)), { count, stored })
      for await (const page of pages(session, core, key, stored === '' ? filter : { ...filter, since: stored })) {
        if (page.json.length === 0) break
        if (options.attachments !== undefined)
          await saveContents(session, core, key, page.attachments, options.attachments)
        count += page.json.length
        stored = storedOf(page.json.at(-1)!)
        await file.add(textOf(page.json, columns), { count, stored })
        bar.show(count)
      }
    } finally {
      bar.end()
      await file.close()
    }
    return reportOf(session, options.out, before, count)
  },
})

function textOf(json: readonly Uint8Array[], columns: readonly Column[] | undefined): Buffer {
  return columns ? Buffer.from(json.map((one) => csvRow(one, columns)).join('')) : Buffer.concat(json.map(lineOf))
}
