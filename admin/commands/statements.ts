import { deleteStatements, listDeletions } from './delete-statements.ts'
import { exportStatements } from './export-statements.ts'
import { importStatements } from './import-statements.ts'
import { queryStatements } from './query-statements.ts'
import { tailStatements } from './tail-statements.ts'

export const commands = {
  query: queryStatements,
  tail: tailStatements,
  export: exportStatements,
  import: importStatements,
  delete: deleteStatements,
  deletions: listDeletions,
}
