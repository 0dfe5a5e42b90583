import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import { invitations } from '../../../shared/limits.ts'
import type { ClassSchema, ClassService } from '../../../gen/lrs/v1/classes_pb.js'
import type { InvitationSchema } from '../../../gen/lrs/v1/launches_pb.js'
import {
  addToClass,
  createClass,
  endClass,
  renewLinks,
  restoreClass,
  restoreInvitation,
} from '../../command/games/classes.ts'
import type { Core } from '../../context.ts'
import { getClass, listClasses } from '../../query/classes.ts'
import type { Class } from '../../store/directory/classes.ts'
import type { Invitation } from '../../store/directory/invitations.ts'
import { developer } from './developer.ts'

/** Invitations that a studio makes together, and what the invited learners did. */
export function classService(core: Core): ServiceImpl<typeof ClassService> {
  const { store } = core
  return {
    createClass: async ({ gameId, name, ...invited }, context) => ({
      classId: await createClass(store, await developer(core, context), gameId, name, invited),
    }),
    async addToClass({ gameId, classId, ...invited }, context) {
      await addToClass(store, await developer(core, context), gameId, classId, invited)
      return {}
    },
    listClasses: async ({ gameId }, context) => ({
      classes: (await listClasses(store, await developer(core, context), gameId)).map(classMessage),
    }),
    async getClass({ gameId, classId }, context) {
      const { of, learners } = await getClass(core, await developer(core, context), gameId, classId)
      return {
        class: classMessage(of),
        learners: learners.map(({ invitation, result }) => ({
          invitation: invitationMessage(invitation),
          result: { ...result, last: BigInt(result.lastSeen) },
        })),
      }
    },
    async renewLinks({ gameId, invitationIds }, context) {
      const links = await renewLinks(store, await developer(core, context), gameId, invitationIds)
      return { links: links.map(({ id, ...link }) => ({ ...link, invitationId: id })) }
    },
    endClass: async ({ gameId, classId }, context) => ({
      invitations: await endClass(store, await developer(core, context), gameId, classId),
    }),
    async restoreClass({ gameId, classId }, context) {
      await restoreClass(store, await developer(core, context), gameId, classId)
      return {}
    },
    async restoreInvitation({ gameId, invitationId }, context) {
      await restoreInvitation(store, await developer(core, context), gameId, invitationId)
      return {}
    },
  }
}

export const invitationMessage = ({
  id,
  learnerName,
  used,
  created,
  lastUsed,
  linked,
  ended,
}: Invitation): MessageInitShape<typeof InvitationSchema> => ({
  invitationId: id,
  learnerName,
  used,
  created: seconds(created),
  lastUsed: seconds(lastUsed),
  linked: seconds(linked),
  ...endOf(ended),
})

const classMessage = ({ id, name, created, learners, ended }: Class): MessageInitShape<typeof ClassSchema> => ({
  classId: id,
  name,
  learners,
  created: seconds(created),
  ...endOf(ended),
})

const endOf = (ended: number) => ({
  ended: seconds(ended),
  final: ended === 0 ? 0n : seconds(ended + invitations.undoDays * 24 * 60 * 60),
})

const seconds = (value: number): bigint => BigInt(Math.floor(value))
