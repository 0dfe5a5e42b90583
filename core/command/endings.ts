import type { Accounts, Core } from '../context.ts'
import { Refusal } from '../refusal.ts'
import type { Developer, Person } from '../store/directory/studio-sessions.ts'
import type { Store } from '../store/store.ts'
import { Problem } from '../xapi/problem.ts'
import { requirePassword } from './accounts.ts'

type Needs = Accounts & Pick<Core, 'store'>

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
  await core.store.endings.studio(developer.studio, true)
}

/** The studio stays after all, and so does the account of the owner who says so: a studio needs an owner. */
export async function keepStudio({ transaction, endings }: Store, { studio, account }: Developer): Promise<void> {
  await transaction(async (run) => {
    await endings.studio(studio, false, run)
    await endings.account(account, false, run)
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
      throw new Refusal('conflict', `You are the only owner of ${names}. Delete it, or hand it over, first.`)
    }
    await endings.account(person.account, true, run)
  })
}

/** The account stays after all. */
export const keepAccount = ({ endings }: Store, { account }: Person): Promise<void> => endings.account(account, false)

/** Deletes what the time has come for. A studio's games end as a deleted draft does; its statements stay. */
export async function sweepEndings({ endings, games, credentials, reviews, members }: Store): Promise<void> {
  while (
    await endings.nextStudio(
      async (run, game) => {
        await reviews.withdraw(run, game)
        await games.end(run, game)
        await credentials.endAll(run, game)
      },
      (run, studio, account) => members.remove(run, studio, account),
    )
  );
  while ((await endings.accounts(100)) === 100);
}
