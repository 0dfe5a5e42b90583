import { Refusal } from '../refusal.ts'
import type { Store } from '../store/store.ts'
import type { StudioAccount } from '../store/directory/studios.ts'
import { isUuid } from '../xapi/uuid.ts'

/** The studio with this id, e-mail address or slug. @throws Refusal 'not-found' */
export async function findStudio({ studios }: Pick<Store, 'studios'>, name: string): Promise<StudioAccount> {
  const studio = isUuid(name)
    ? await studios.byUuid(name)
    : name.includes('@')
      ? await studios.byEmail(name.toLowerCase())
      : await studios.bySlug(name)
  if (!studio)
    throw new Refusal('not-found', 'There is no studio of this id, e-mail address or name.', { subject: 'studio' })
  return studio
}
