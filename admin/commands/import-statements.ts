import { SettingError } from '../../shared/settings/kinds.ts'
import type { ImportOptions } from '../import-report.ts'
import type { Work } from '../session.ts'
import { importFile } from './import-file.ts'
import { importStore } from './import-store.ts'

export const importStatements: Work<ImportOptions> = async (session, args, options) => {
  if ((args[0] === undefined) === (options.from === undefined))
    throw new SettingError('Statements come from a file or from another store. Use either <file> or --from <url>.')
  return options.from === undefined ? importFile(session, args, options) : importStore(session, args, options)
}
