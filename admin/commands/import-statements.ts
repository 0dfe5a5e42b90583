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
interruption, and later it imports only new statements. The other store applies the filters.`,
  examples: [
    'statements import --game chess chess.ndjson.gz',
    'statements import --game chess --from https://lrs.example.org/xapi --auth key:secret',
    'statements import --game chess --from https://lrs.example.org/xapi --since 2026-01-01T00:00:00Z --rejects ' +
      'refused.ndjson',
  ],
  run(core, { file, ...options }, session) {
    const { from } = options
    if ((file === undefined) === (from === undefined))
      throw new SettingError('Statements come from a file or from another store. Use either <file> or --from <url>.')
    return file === undefined
      ? importStore(core, { ...options, from: from! }, session)
      : importFile(core, { ...options, file }, session)
  },
})
