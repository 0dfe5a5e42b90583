import { SettingError } from '../../shared/settings/kinds.ts'
import { command } from '../command.ts'
import { imported } from '../import-report.ts'
import { importFile } from './import-file.ts'
import { importStore } from './import-store.ts'

export const importStatements = command({
  about: 'import statements unchanged, from a file or from another store',
  takes: { '[file]': 'NDJSON or a JSON array, gzip or not; - is stdin' },
  options: imported,
  notes: `Statements that are stored already are skipped, so you can run the same import again: it continues after an
interruption, and later it imports only new statements. The other store applies the filters. --repair is for names
without an identifier, ids and extensions without an IRI, booleans and numbers as texts, times without a zone; it prints
what it repaired and leaves what is not clear.`,
  examples: [
    'statements import --game chess chess.ndjson.gz',
    'statements import --game chess --from https://lrs.example.org/xapi --auth key:secret',
    'statements import --game chess --from https://lrs.example.org/xapi --since 2026-01-01T00:00:00Z --rejects ' +
      'refused.ndjson',
    'statements import --game chess traces.json --repair https://school.example --report repairs.ndjson',
  ],
  run(core, { file, ...options }, session) {
    const { from } = options
    if ((file === undefined) === (from === undefined))
      throw new SettingError('Statements come from a file or from another store. Use either <file> or --from <url>.')
    if (from !== undefined && options.repair !== undefined)
      throw new SettingError('--repair is for files: what another store has accepted needs no repair.')
    return file === undefined
      ? importStore(core, { ...options, from: from! }, session)
      : importFile(core, { ...options, file }, session)
  },
})
