import type { DeclaredService } from '../../process/methods/declaration.ts'
import { statementService } from './statements.ts'
import { attachmentService } from './attachments.ts'
import { documentService } from './documents.ts'
import { retentionService } from './retention.ts'
import { cellService } from './cells.ts'

/** The services of this wing. */
export const recordServices: readonly DeclaredService[] = [
  statementService,
  attachmentService,
  documentService,
  retentionService,
  cellService,
]
