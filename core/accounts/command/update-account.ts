import { knownLanguage } from '../../../shared/texts.ts'
import { checkAll } from '../../process/rules/check-all.ts'
import { accountName, line } from '../../process/rules/text.ts'
import { zoneIn } from '../../process/rules/zone.ts'
import type { Store } from '../../store.ts'
import type { Person } from '../store/studio-sessions.ts'

/** Sets the name of an account, the time zone of its pages and the language of its mails. @throws Problem */
export async function updateAccount(
  { store }: { readonly store: Pick<Store, 'accounts'> },
  { account }: Person,
  given: { readonly name: string; readonly zone: string; readonly language: string },
): Promise<void> {
  const [name, zone] = checkAll(
    () => line(given.name, 'name', accountName),
    () => (given.zone.trim() === '' ? '' : zoneIn(given.zone.trim())),
  )
  await store.accounts.update(account, name, zone, knownLanguage(given.language))
}
