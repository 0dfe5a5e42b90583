import { invitations } from '../../../shared/limits.ts'
import { ClassService } from '../../../gen/lrs/v1/classes_pb.js'
import {
  addToClass,
  createClass,
  endClass,
  handOverClass,
  renewLinks,
  restoreClass,
  restoreInvitation,
} from '../command/classes.ts'
import { getClass, listClasses } from '../query/classes.ts'
import type { Class } from '../store/classes.ts'
import type { Invitation } from '../store/invitations.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { reads, ofGame } from '../../process/methods/audit-entries.ts'
import { byDeveloper, developer } from '../../process/methods/developer.ts'

const ofClass = (action: string) => ({
  ...ofGame(action),
  details: ({ classId }: { classId: string }) => ({ class: classId }),
})

/** Invitations that a studio makes together, and what the invited learners did. */
export const classService = service(ClassService, {
  createClass: method(
    {
      right: 'developer',
      audit: {
        ...ofGame('invitation.create-class'),
        details: ({ learnerNames, nicknames }, made) => ({
          class: made?.classId,
          learners: learnerNames.length + nicknames,
        }),
      },
    },
    byDeveloper(createClass),
  ),
  addToClass: method(
    {
      right: 'developer',
      audit: {
        ...ofGame('invitation.extend-class'),
        details: ({ classId, learnerNames, nicknames }) => ({
          class: classId,
          learners: learnerNames.length + nicknames,
        }),
      },
    },
    byDeveloper(addToClass),
  ),
  listClasses: method({ right: 'analyst', audit: reads }, async (core, { gameId }, context) => ({
    classes: (await listClasses(core.store, await developer(core, context), gameId)).map(withFinal),
  })),
  getClass: method(
    {
      right: 'analyst',
      audit: {
        ...ofClass('learner.download-results'),
        unless: ({ forFile }) => !forFile,
      },
    },
    async (core, { gameId, classId }, context) => {
      const { of, learners } = await getClass(core, await developer(core, context), gameId, classId)
      return {
        class: withFinal(of),
        learners: learners.map(({ invitation, result }) => ({
          invitation: withFinal(invitation),
          result: { ...result, last: result.lastSeen },
        })),
      }
    },
  ),
  renewLinks: method(
    {
      right: 'developer',
      audit: {
        ...ofGame('invitation.renew-links'),
        details: ({ invitationIds }) => ({ invitations: invitationIds.length }),
      },
    },
    byDeveloper(renewLinks),
  ),
  endClass: method({ right: 'developer', audit: ofClass('invitation.end-class') }, byDeveloper(endClass)),
  handOverClass: method(
    { right: 'developer', audit: ofClass('invitation.hand-over-class') },
    byDeveloper(handOverClass),
  ),
  restoreClass: method({ right: 'developer', audit: ofClass('invitation.restore-class') }, byDeveloper(restoreClass)),
  restoreInvitation: method(
    {
      right: 'developer',
      audit: {
        ...ofGame('invitation.restore'),
        details: ({ invitationId }) => ({ invitation: invitationId }),
      },
    },
    byDeveloper(restoreInvitation),
  ),
})

/** What ended can be restored until a time. */
export const withFinal = <Of extends Class | Invitation>(of: Of) => ({
  ...of,
  final: of.ended && of.ended + invitations.undoDays * 24 * 60 * 60,
})
