import type { DeclaredService } from '../../process/methods/declaration.ts'
import { gameService } from './games.ts'
import { uploadService } from './uploads.ts'
import { launchService } from './launches.ts'
import { deviceService } from './devices.ts'
import { classService } from './classes.ts'
import { schoolService } from './schools.ts'
import { rosterService } from './rosters.ts'
import { parentConsentService } from './parent-consents.ts'
import { lessonService } from './lessons.ts'
import { lessonResultService } from './lesson-results.ts'
import { buildService } from './builds.ts'
import { identityService } from './identity.ts'
import { quotaService } from './quotas.ts'
import { gameDocumentService } from './game-documents.ts'
import { reservationService } from './reservations.ts'

/** The services of this wing. */
export const gameServices: readonly DeclaredService[] = [
  gameService,
  uploadService,
  launchService,
  deviceService,
  classService,
  schoolService,
  rosterService,
  parentConsentService,
  lessonService,
  lessonResultService,
  buildService,
  identityService,
  quotaService,
  reservationService,
  gameDocumentService,
]
