import type { Database } from '../../process/database/database.ts'
import { deletionStore } from './deletions.ts'
import { exportJobStore } from './export-jobs.ts'
import { forwardStore, operatedForwardStore } from './forwards.ts'
import { ltiGradeStore } from './lti-grades.ts'
import { ltiLaunchStore } from './lti-launches.ts'
import { ltiMemberStore } from './lti-members.ts'
import { ltiPlatformStore } from './lti-platforms.ts'
import { pseudonymKeyStore } from './pseudonym-keys.ts'
import { webhookDeliveryStore } from './webhook-deliveries.ts'
import { webhookEventStore } from './webhook-events.ts'
import { webhookStore } from './webhooks.ts'

/** Tables of what goes to other systems, and comes from them. */
export const connectionStores = (database: Database) => ({
  deletions: deletionStore(database),
  exportJobs: exportJobStore(database),
  forwards: forwardStore(database),
  operatedForwards: operatedForwardStore(database),
  ltiGrades: ltiGradeStore(database),
  ltiLaunches: ltiLaunchStore(database),
  ltiMembers: ltiMemberStore(database),
  ltiPlatforms: ltiPlatformStore(database),
  pseudonymKeys: pseudonymKeyStore(database),
  webhooks: webhookStore(database),
  webhookEvents: webhookEventStore(database),
  webhookDeliveries: webhookDeliveryStore(database),
})
