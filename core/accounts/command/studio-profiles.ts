import type { Developer } from '../store/studio-sessions.ts'
import type { Store } from '../../store.ts'
import type { StudioAccount, StudioProfile } from '../store/studios.ts'
import { checkAll } from '../../process/rules/check-all.ts'
import { line, paragraphs, studioTexts } from '../../process/rules/text.ts'
import { Problem } from '../../process/problem.ts'
import type { DecideProfileRequest } from '../../../gen/lrs/v1/accounts_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { requireReviewer, type Visitor } from '../access/visitor.ts'
import type { Core } from '../../context.ts'
import { profileDecided } from '../notices/texts.ts'
import { Refusal } from '../../process/refusal.ts'
import { makers } from '../rules/roles.ts'
import { reviewNote } from '../rules/review-note.ts'

/** Changes the draft of the profile (core/accounts/store/studio-profiles.ts). @throws Problem */
export async function updateStudio(
  { studios, studioProfiles, catalogue }: Store,
  { studio }: Developer,
  given: Pick<StudioProfile, 'name' | 'about' | 'website'>,
): Promise<StudioAccount> {
  const [name, about, website] = checkAll(
    () => line(given.name, 'name', studioTexts.name),
    () => paragraphs(given.about, 'about', studioTexts.about),
    () => site(line(given.website, 'website', studioTexts.website)),
  )
  await studioProfiles.update(studio, { name, about, website })
  await catalogue.renewStudio(studio)
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

type ProfileDecision = Fields<DecideProfileRequest>

/** Decides on a studio's changed profile. @throws Refusal 'conflict' */
export async function decideProfile(
  { store, notices }: Pick<Core, 'store' | 'notices'>,
  visitor: Visitor,
  decision: ProfileDecision,
): Promise<void> {
  const { transaction, members, studioProfiles } = store
  requireReviewer(visitor)
  const note = reviewNote(decision.note, decision.approved)
  await transaction(async (run) => {
    const waiting = await studioProfiles.lockWaiting(run, decision.studioId)
    if (!waiting) {
      throw new Refusal(
        'conflict',
        'The profile does not wait for a decision: it was decided, or its changes were discarded.',
      )
    }
    if (visitor !== 'admin' && (await members.roleIn(waiting.studio, visitor.account, run))) {
      throw new Refusal('forbidden', 'You cannot review the profile of your own studio. Another reviewer has to do it.')
    }
    if (waiting.profile !== decision.profile) {
      throw new Refusal('conflict', 'The profile has changed. Review it again.')
    }
    if (decision.approved) {
      await studioProfiles.accept(run, waiting.studio)
      await store.catalogue.renewStudio(waiting.studio, run)
    } else await studioProfiles.reject(run, waiting.studio, note)
    const told = { studio: waiting.studio, roles: makers }
    await notices.tell(told, 'review', profileDecided(decision.approved, note), run)
  })
}
