import type { Roster } from '../../games/rules/roster.ts'
import type { RosterState } from '../../games/rules/roster-changes.ts'
import { learnerName, line } from '../../process/rules/text.ts'
import { members, text, texts, type Claims } from './lti-claims.ts'
import { roleIn } from './lti-message.ts'

/** A learner of a course; without a given name nothing is known but the subject. */
export interface Learner {
  readonly subject: string
  readonly given: string
  readonly family: string
}

export const membersScope = 'https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly'
export const membersType = 'application/vnd.ims.lti-nrps.v2.membershipcontainer+json'

/** A name that a platform sends may be anything; one that is no line is as if there was none. */
export function nameIn(value: unknown): string {
  try {
    return line(text(value), 'name', learnerName)
  } catch {
    return ''
  }
}

/** The learners of a page of a course; undefined: it is no such page. */
export function learnersIn(page: Claims, context: string): Learner[] | undefined {
  const all = page['members']
  const { id } = members(page['context'])
  if (!Array.isArray(all) || (id !== undefined && id !== context)) return undefined
  return all.map(members).flatMap((one) => {
    const subject = text(one['user_id'], 255)
    const isActive = (one['status'] ?? 'Active') === 'Active'
    if (subject === '' || !isActive || roleIn(texts(one['roles'])) !== 'learner') return []
    const given = nameIn(one['given_name'])
    return [{ subject, given: given || nameIn(one['name']), family: given && nameIn(one['family_name']) }]
  })
}

/** The address of the next page; empty: there is none. `other-origin`: it is not at the host of the first one. */
export function nextIn(header: string | undefined, from: string): { next: string } | 'other-origin' {
  for (const [, address, values] of (header ?? '').matchAll(/<([^<>]*)>([^<]*)/g)) {
    if (!/;\s*rel\s*=\s*"?next"?\s*(?:[;,]|$)/i.test(values!)) continue
    const next = URL.parse(address!, from)
    return next?.origin === new URL(from).origin ? { next: next.href } : 'other-origin'
  }
  return { next: '' }
}

/** The name of the class in its roster. */
const subject = 'course'

/** What a class has, as the state before its roster. */
export const stateOf = <Pupil extends RosterState['pupils'][number]>(
  of: { readonly id: string; readonly name: string },
  pupils: readonly Pupil[],
) => ({ classes: [{ ...of, subject }], pupils })

/** The learners of a course as the roster of its class. @param newNames nicknames for those whose names are not known */
export function rosterOf(
  learners: readonly Learner[],
  { classes, pupils }: RosterState,
  newNames: (count: number) => readonly string[],
): Roster {
  const known = new Set(pupils.map((pupil) => pupil.subject))
  const nameless = learners.filter((one) => one.given === '' && !known.has(one.subject))
  const names = new Map(newNames(nameless.length).map((name, n) => [nameless[n]!.subject, name]))
  const people = learners.map((one) => ({ ...one, given: one.given || (names.get(one.subject) ?? '') }))
  return {
    isDelta: false,
    classes: [{ id: subject, title: classes[0]!.name, gone: false, line: 0 }],
    people: people.filter(({ given }) => given !== '').map((one) => ({ ...one, id: one.subject, gone: false })),
    places: learners.map((one) => ({ class: subject, person: one.subject, gone: false, line: 0 })),
  }
}
