import { isPersonal } from './config.ts'
import { Failed } from './failed.ts'
import type { Session } from './session.ts'

/** For what members of a studio do: the token of the operator belongs to no studio. @throws Failed */
export function needPersonal(session: Session): void {
  if (isPersonal(session.config())) return
  const where = 'make one in the portal (the name at the top right, then Personal tokens) and set LRS_TOKEN'
  throw new Failed(`This needs a personal token of a member of the studio: ${where}.`, 2)
}
