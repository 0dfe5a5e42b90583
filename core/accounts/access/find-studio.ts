import { Refusal } from '../../process/refusal.ts'
import type { Store } from '../../store.ts'
import type { StudioAccount } from '../store/studios.ts'
import { isUuid } from '../../records/xapi/values.ts'
import { keptAddress } from '../../process/rules/email.ts'

/** The studio with this id or slug, or the only one that an account owns. @throws Refusal 'not-found' */
export async function findStudio({ studios }: Pick<Store, 'studios'>, name: string): Promise<StudioAccount> {
  const [studio, ...others] = name.includes('@')
    ? await studios.ownedBy(keptAddress(name))
    : [isUuid(name) ? await studios.byUuid(name) : await studios.bySlug(name)]
  if (!studio)
    throw new Refusal('not-found', 'There is no studio of this id, e-mail address or name.', { subject: 'studio' })
  if (others.length > 0)
    throw new Refusal('conflict', 'The account with this e-mail address owns several studios: name one of them.')
  return studio
}
