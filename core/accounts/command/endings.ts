import type { Core } from '../../context.ts'
import type { Accounts } from '../wing.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Told } from '../store/notices.ts'
import type { Developer, Person } from '../store/studio-sessions.ts'
import { memberRoles } from '../rules/roles.ts'
import { Problem } from '../../process/problem.ts'
import { requirePassword } from './accounts.ts'
import { teamNotices } from './team-notices.ts'
import { say } from '../../../shared/say.ts'

type Needs = Accounts & Pick<Core, 'store' | 'config' | 'notices'>

/** What the owner typed, so that nothing is deleted by accident. */
interface Confirmation {
  /** Of the studio, or the account's e-mail address. */
  readonly name: string
  readonly password: string
}

/** Has the studio deleted when the time for second thoughts is over. @throws Problem, Refusal */
export async function deleteStudio(core: Needs, developer: Developer, { name, password }: Confirmation): Promise<void> {
  const studio = (await core.store.studios.byId(developer.studio))!
  if (name.trim().normalize('NFC') !== studio.name) throw new Problem('name', 'must be the name of the studio')
  await requirePassword(core, developer, password)
  await core.store.transaction(async (run) => {
    await core.store.endings.studio(developer.studio, true, run)
    await core.notices.tell(everybody(developer), 'team', teamNotices.studioEnds(studio.name, developer.email), run)
  })
}

const everybody = ({ studio }: Developer): Told => ({ studio, roles: memberRoles })

/** The studio stays after all, and so does the account of the owner who says so: a studio needs an owner. */
export async function keepStudio({ store, notices }: Needs, developer: Developer): Promise<void> {
  const { transaction, members, endings } = store
  await transaction(async (run) => {
    const name = await members.lock(run, developer.studio)
    if (!(await endings.studio(developer.studio, false, run))) return
    await endings.account(developer.account, false, run)
    await notices.tell(everybody(developer), 'team', teamNotices.studioStays(name, developer.email), run)
  })
}

/** Has the account deleted when the time for second thoughts is over. @throws Problem, Refusal */
export async function deleteAccount(core: Needs, person: Person, { name, password }: Confirmation): Promise<void> {
  const { transaction, members, endings } = core.store
  if (name.trim().normalize('NFC').toLowerCase() !== person.email)
    throw new Problem('name', 'must be the e-mail address of the account')
  await requirePassword(core, person, password)
  await transaction(async (run) => {
    for (const { studio } of await members.of(person.account)) await members.lock(run, studio)
    const kept = (await members.of(person.account, run)).filter(({ isLastOwner }) => isLastOwner)
    if (kept.length > 0) {
      const names = kept.map(({ name }) => name).join(', ')
      throw new Refusal('conflict', say`You are the only owner of ${names}. Delete it, or hand it over, first.`)
    }
    await endings.account(person.account, true, run)
    await core.notices.tell({ accounts: [person.account] }, 'security', teamNotices.accountEnds(), run)
  })
}

/** The account stays after all. */
export async function keepAccount({ store }: Pick<Core, 'store'>, { account }: Person): Promise<void> {
  await store.endings.account(account, false)
}

/** Deletes what the time has come for. A studio's games end as a deleted draft does; its statements stay. */
export async function sweepEndings({ store, audit }: Pick<Core, 'store' | 'audit'>): Promise<void> {
  const { endings, games, credentials, reviews, members } = store
  const note = (action: string, details: Record<string, string>) =>
    audit.note({ action, actor: { kind: 'service', id: 'core' }, details })
  const nextStudio = () =>
    endings.nextStudio(
      async (run, game) => {
        await reviews.withdraw(run, game)
        await games.end(run, game)
        await credentials.endAll(run, game)
      },
      (run, studio, account) => members.remove(run, studio, account),
    )
  for (let studio = await nextStudio(); studio !== undefined; studio = await nextStudio())
    await note('studio.end', { studio })
  const batch = 100
  for (let ended = batch; ended === batch;) {
    const accounts = await endings.accounts(batch)
    for (const account of accounts) await note('account.end', { account })
    ended = accounts.length
  }
}
