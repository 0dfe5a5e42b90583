import { MemberRole as RoleMessage } from '../../gen/lrs/v1/members_pb.js'
import type { MemberRole } from '../studio/roles.ts'

export const roleMessages: Record<MemberRole, RoleMessage> = {
  analyst: RoleMessage.ANALYST,
  developer: RoleMessage.DEVELOPER,
  owner: RoleMessage.OWNER,
}
