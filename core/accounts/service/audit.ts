import { type AuditFilter, type AuditPage, AuditService } from '../../../gen/lrs/v1/audit_pb.js'
import { findStudio } from '../access/find-studio.ts'
import { auditPage, ownAuditPage, type AskedEntries, type EntryPage } from '../query/audit.ts'
import { placeParameter } from '../../records/xapi/parameters.ts'
import { checkAudit } from '../query/check-audit.ts'
import type { AuditEntry } from '../store/audit.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { reads } from '../../process/methods/audit-entries.ts'
import { developer } from '../../process/methods/developer.ts'

/** The audit log: of a studio for its owners, of all for admins. */
export const auditService = service(AuditService, {
  listOwnEntries: method({ right: 'owner', token: 'audit', audit: reads }, async (core, { filter, page }, context) =>
    messageOf(await ownAuditPage(core.store, await developer(core, context), asked(filter, page))),
  ),
  listEntries: method({ right: 'admin', audit: reads }, async ({ store }, { filter, page, studio }) => {
    const of = studio === '' ? undefined : (await findStudio(store, studio)).studioId
    return messageOf(await auditPage(store, asked(filter, page), of))
  }),
  checkEntries: method({ right: 'admin', audit: reads }, async ({ store }, { after, noted }) => {
    const placed = noted && { ...noted, position: placeParameter(noted.position, 'noted.position') }
    return checkAudit(store, placeParameter(after, 'after'), placed)
  }),
})

const asked = (filter: AuditFilter | undefined, page: AuditPage | undefined): AskedEntries => ({
  action: filter?.action ?? '',
  actor: filter?.actor.trim() ?? '',
  since: Number(filter?.since ?? 0),
  until: Number(filter?.until ?? 0),
  position: page?.position.toLowerCase() ?? '',
  limit: page?.limit ?? 0,
  ascending: page?.ascending ?? false,
})

const messageOf = ({ entries, next }: EntryPage) => ({ entries: entries.map(entryMessage), next })

const entryMessage = (entry: AuditEntry) => ({
  ...entry,
  entryId: entry.id,
  token: entry.actor.token,
  studioId: entry.studio,
  details: Object.fromEntries(Object.entries(entry.details).map(([name, value]) => [name, String(value)])),
})
