import type { Developer } from '../store/studio-sessions.ts'
import type { Store } from '../../store.ts'
import type { StudioAccount, StudioProfile } from '../store/studios.ts'
import { checkAll } from '../../process/rules/check-all.ts'
import { line, paragraphs, studioTexts } from '../../process/rules/text.ts'
import { Problem } from '../../process/problem.ts'

/** Changes the draft of the profile (core/accounts/store/studio-profiles.ts). @throws Problem */
export async function updateStudio(
  { studios, studioProfiles }: Store,
  { studio }: Developer,
  given: Pick<StudioProfile, 'name' | 'about' | 'website'>,
): Promise<StudioAccount> {
  const [name, about, website] = checkAll(
    () => line(given.name, 'name', studioTexts.name),
    () => paragraphs(given.about, 'about', studioTexts.about),
    () => site(line(given.website, 'website', studioTexts.website)),
  )
  await studioProfiles.update(studio, { name, about, website })
  return (await studios.byId(studio))!
}

/** It becomes a link, so nothing but http and https. */
function site(given: string): string {
  if (given === '') return ''
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:/i.test(given) ? given : `https://${given}`)
  if (
    !url ||
    !/^https?:$/.test(url.protocol) ||
    !url.hostname.includes('.') ||
    url.username !== '' ||
    url.password !== ''
  ) {
    throw new Problem('website', 'must be an address such as https://studio.example')
  }
  return url.href
}
