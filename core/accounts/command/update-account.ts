import { checkAll } from '../../process/rules/check-all.ts'
import { accountName, line } from '../../process/rules/text.ts'
import { zoneIn } from '../../process/rules/zone.ts'
import type { Store } from '../../store.ts'
import type { Person } from '../store/studio-sessions.ts'

/** Sets the name of an account and the time zone of its pages; both may be empty. @throws Problem */
export async function updateAccount(
  { store }: { readonly store: Pick<Store, 'accounts'> },
  { account }: Person,
  given: { readonly name: string; readonly zone: string },
): Promise<void> {
  const [name, zone] = checkAll(
    () => line(given.name, 'name', accountName),
    () => (given.zone.trim() === '' ? '' : zoneIn(given.zone.trim())),
  )
  await store.accounts.update(account, name, zone)
}
