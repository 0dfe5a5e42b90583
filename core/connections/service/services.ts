import type { DeclaredService } from '../../process/methods/declaration.ts'
import { assistantService } from './assistants.ts'
import { deletionService } from './deletions.ts'
import { webhookService } from './webhooks.ts'
import { exportService } from './exports.ts'
import { forwardService } from './forwards.ts'
import { ltiService } from './lti.ts'

/** The services of this wing. */
export const connectionServices: readonly DeclaredService[] = [
  webhookService,
  exportService,
  forwardService,
  deletionService,
  assistantService,
  ltiService,
]
