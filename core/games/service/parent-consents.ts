import { ParentConsentService } from '../../../gen/lrs/v1/parent_consents_pb.js'
import { reads } from '../../process/methods/audit-entries.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { byDeveloper, developer } from '../../process/methods/developer.ts'
import {
  giveParentConsent,
  makeParentLinks,
  noteConsent,
  setConsentRule,
  withdrawParentConsent,
} from '../command/parent-consents.ts'
import { getConsentRule, getParentConsent, listConsents } from '../query/parent-consents.ts'

/** Who agrees for the pupils of a school. The audit log has neither names of pupils nor those of parents. */
export const parentConsentService = service(ParentConsentService, {
  getConsentRule: method({ right: 'observer', audit: reads }, async (core, _request, context) => ({
    rule: await getConsentRule(core.store, (await developer(core, context)).studio),
  })),
  setConsentRule: method(
    {
      right: 'owner',
      audit: { action: 'school.set-consent', details: ({ parents }) => ({ agree: parents ? 'parents' : 'school' }) },
    },
    byDeveloper(setConsentRule),
  ),
  makeParentLinks: method(
    {
      right: 'teacher',
      audit: {
        action: 'school.make-parent-links',
        details: ({ classId }, made) => ({ class: classId, learners: made?.links?.length }),
      },
    },
    byDeveloper(makeParentLinks),
  ),
  noteConsent: method(
    {
      right: 'teacher',
      audit: {
        action: 'school.note-consent',
        details: ({ classId, agreed, erase }) => ({
          class: classId,
          agreed: String(agreed),
          erase: String(erase),
        }),
      },
    },
    byDeveloper(noteConsent),
  ),
  listConsents: method({ right: 'observer', audit: reads }, async (core, request, context) => ({
    consents: await listConsents(core.store, await developer(core, context), request),
  })),
  getParentConsent: method({ right: 'public', audit: reads }, ({ store }, request) => getParentConsent(store, request)),
  giveParentConsent: method({ right: 'public', audit: 'school.parent-agree' }, giveParentConsent),
  withdrawParentConsent: method({ right: 'public', audit: 'school.parent-withdraw' }, withdrawParentConsent),
})
