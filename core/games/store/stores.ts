import type { Database } from '../../process/database/database.ts'
import { betaLinkStore } from './beta-links.ts'
import { buildStore } from './builds.ts'
import { catalogueStore } from './catalogue.ts'
import { classStore } from './classes.ts'
import { deviceStore } from './devices.ts'
import { gamePageStore } from './game-pages.ts'
import { gameStore } from './games.ts'
import { garbageStore } from './garbage.ts'
import { invitationStore } from './invitations.ts'
import { launchStore } from './launches.ts'
import { learnerStore } from './learners.ts'
import { lessonStore } from './lessons.ts'
import { lessonResultStore } from './lesson-results.ts'
import { openFileStore } from './open-files.ts'
import { gameReader } from './read-games.ts'
import { parentConsentStore } from './parent-consents.ts'
import { reportStore } from './reports.ts'
import { reviewStore } from './reviews.ts'
import { rosterStore } from './rosters.ts'
import { schoolClassStore } from './school-classes.ts'
import { sandboxEventStore } from './sandbox-events.ts'
import { seatStore } from './seats.ts'
import { uploadStore } from './uploads.ts'

/** Tables of games, builds, learners and their sessions. */
export const gameStores = (database: Database) => ({
  games: { ...gameStore(), ...gameReader(database) },
  gamePages: gamePageStore,
  catalogue: catalogueStore(database),
  reports: reportStore(database),
  reviews: reviewStore,
  betaLinks: betaLinkStore(database),
  builds: buildStore(database),
  uploads: uploadStore(database),
  garbage: garbageStore(database),
  learners: learnerStore(database),
  openFiles: openFileStore(database),
  launches: launchStore(database),
  devices: deviceStore(database),
  classes: classStore(database),
  invitations: invitationStore(database),
  schoolClasses: schoolClassStore(database),
  rosters: rosterStore(database),
  parentConsents: parentConsentStore(database),
  lessons: lessonStore(database),
  seats: seatStore(database),
  lessonResults: lessonResultStore(database),
  sandboxEvents: sandboxEventStore(database),
})
