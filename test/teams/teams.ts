import { hashSecret, newSecret } from '../../core/process/secret.ts'
import { MemberRole } from '../../gen/lrs/v1/members_pb.js'
import type { CoreClient } from '../support/core-client.ts'
import { addStudio, type Studio } from '../support/studios.ts'
import { startSystem, tokens } from '../support/system.ts'
import { bearer } from '../support/xapi.ts'

export const password = 'correct horse battery'
export const { OWNER, DEVELOPER, ANALYST } = MemberRole

export const rolesOf = async ({ core }: { core: CoreClient }): Promise<Record<string, MemberRole>> =>
  Object.fromEntries((await core.members.listMembers({})).members.map(({ accountId, role }) => [accountId, role]))
export const working = async ({ core }: { core: CoreClient }): Promise<string | undefined> =>
  (await core.accounts.getAccount({})).studio?.name

/** People with passwords, and studios that they make teams of. */
export async function startTeams() {
  const system = await startSystem()
  const passwordHash = await system.cores[0]!.passwords.hash(password, 'test')
  let n = 0
  const as = (session: string): CoreClient =>
    system.connections[0]!.as(bearer(tokens.portal), { 'x-lrs-session': session })

  /** A signed-in account without a studio. */
  async function person() {
    const email = `person-${++n}@example.org`
    const session = newSecret()
    const [row] = await system.database.sql<{ uuid: string }>(
      `with a as (insert into account (email, password_hash) values ($1, $2) returning id, uuid),
      n as (insert into studio_session (hash, account, expires) select $3, id, now() + interval '1 hour' from a)
    select uuid from a`,
      [email, passwordHash, hashSecret(session)],
    )
    return { email, session, accountId: row!.uuid, core: as(session) }
  }
  type Person = Awaited<ReturnType<typeof person>>

  async function studio(name = 'Blue Fox'): Promise<Studio & { accountId: string; core: CoreClient }> {
    const made = await addStudio(system, name)
    const [row] = await system.database.sql<{ uuid: string }>(
      'update account set password_hash = $2 where id = $1 returning uuid',
      [made.account, passwordHash],
    )
    return { ...made, accountId: row!.uuid, core: made.on() }
  }

  /** A new member who came by a link. */
  async function join(owner: { core: CoreClient }, role: MemberRole, who?: Person): Promise<Person> {
    const joining = who ?? (await person())
    const { code } = await owner.core.members.inviteMember({ role })
    await joining.core.members.acceptMemberInvitation({ code })
    return joining
  }
  return { system, admin: system.admin, as, person, studio, join }
}

export type Teams = Awaited<ReturnType<typeof startTeams>>
