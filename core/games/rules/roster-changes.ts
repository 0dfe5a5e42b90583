import { toldApart } from '../../process/rules/nicknames.ts'
import { nameKey } from './pupil-names.ts'
import type { FaultList } from './roster-faults.ts'
import type { Roster, RosterPerson } from './roster.ts'

/** What a school has. `subject`: its id in the roster; null: it was made by hand. */
export interface RosterState {
  readonly classes: readonly { readonly id: string; readonly name: string; readonly subject: string | null }[]
  readonly pupils: readonly RosterPupil[]
}

export interface RosterPupil {
  readonly id: string
  /** Null: it has left its class. */
  readonly class: string | null
  readonly name: string
  readonly subject: string | null
}

/** What a roster changes. Classes are named by their ids in the roster. */
export interface RosterChanges {
  readonly newClasses: readonly { readonly class: string; readonly name: string }[]
  readonly renamedClasses: readonly { readonly id: string; readonly name: string; readonly before: string }[]
  /** Nobody of the roster is in them any more. */
  readonly emptied: readonly string[]
  /** Who comes into a class; `pupil`: the one that it was in another class, or before it left. */
  readonly joins: readonly Join[]
  readonly renames: readonly {
    readonly pupil: string
    readonly name: string
    readonly before: string
    readonly in: string
  }[]
  readonly leaves: readonly { readonly pupil: string; readonly name: string; readonly in: string }[]
  /** Pupils of the roster that were in classes before. */
  readonly before: number
}

interface Join {
  readonly class: string
  readonly subject: string
  readonly name: string
  /** The name of the class. */
  readonly in: string
  readonly pupil?: string
}

interface Limits {
  readonly classes: number
  readonly ofClass: number
}

const byName = new Intl.Collator('en', { numeric: true })

/** @param faults gets what is too much for the school, and what changes refer to without being there */
export function changesOf(roster: Roster, state: RosterState, limits: Limits, faults: FaultList): RosterChanges {
  const people = new Map(roster.people.map((person) => [person.id, person]))
  const listed = new Map(roster.classes.map((one) => [one.id, one]))
  const there = new Map(state.classes.flatMap((one) => (one.subject === null ? [] : [[one.subject, one] as const])))
  const knownNames = new Map(state.pupils.map(({ subject, name }) => [subject, name]))
  const current = placesIn(state)
  const wanted = wantedIn(roster, current, faults, {
    classes: new Set([...listed.keys(), ...there.keys()]),
    people: new Set([...people.keys(), ...knownNames.keys()]),
  })
  const titleOf = (id: string) => listed.get(id)?.title || (there.get(id)?.name ?? '')

  const leaving = [...current].flatMap(([id, pupils]) =>
    [...pupils]
      .filter(([subject]) => !wanted.get(id)?.has(subject))
      .map(([subject, pupil]) => ({ id, subject, pupil })),
  )
  // who leaves one class and comes into another is the same pupil, with its picture and its accounts
  const free = Map.groupBy(
    [...state.pupils.filter((one) => one.class === null), ...leaving.map(({ pupil }) => pupil)],
    ({ subject }) => subject,
  )
  const moved = new Set<RosterPupil>()
  const joins: Join[] = []
  const renames: RosterChanges['renames'][number][] = []
  const byClass = Map.groupBy(state.pupils, (one) => one.class)
  for (const [id, subjects] of wanted) {
    const stay = current.get(id)
    const others = (byClass.get(there.get(id)?.id ?? '') ?? []).filter((one) => one.subject === null)
    if (subjects.size + others.length > limits.ofClass) {
      const at = { file: 'classes.csv', line: listed.get(id)?.line ?? 0, column: 'sourcedId', value: id }
      faults.add('class-full', { ...at, expected: `${limits.ofClass}` })
      continue
    }
    const names = namesOf([...subjects], people, knownNames, stay, others)
    for (const subject of subjects) {
      const name = names.get(subject)!
      const before = stay?.get(subject)
      if (before) {
        if (before.name !== name) renames.push({ pupil: before.id, name, before: before.name, in: titleOf(id) })
        continue
      }
      const pupil = free.get(subject)?.pop()
      if (pupil) moved.add(pupil)
      joins.push({ class: id, subject, name, in: titleOf(id), ...(pupil && { pupil: pupil.id }) })
    }
  }
  const newClasses = [...wanted.keys()]
    .filter((id) => !there.has(id))
    .map((id) => ({ class: id, name: titleOf(id) }))
    .toSorted((one, other) => byName.compare(one.name, other.name))
  if (newClasses.length > 0 && state.classes.length + newClasses.length > limits.classes)
    faults.add('classes-full', { file: 'classes.csv', expected: `${limits.classes}` })
  return {
    newClasses,
    renamedClasses: [...there].flatMap(([subject, { id, name }]) => {
      const of = listed.get(subject)
      return of && !of.gone && of.title !== name ? [{ id, name: of.title, before: name }] : []
    }),
    emptied: [...current.keys()].filter((id) => !wanted.has(id)).map(titleOf),
    joins,
    renames,
    leaves: leaving
      .filter(({ pupil }) => !moved.has(pupil))
      .map(({ id, pupil }) => ({ pupil: pupil.id, name: pupil.name, in: there.get(id)!.name })),
    before: [...current.values()].reduce((sum, { size }) => sum + size, 0),
  }
}

/** Pupils of the roster by class and by person. */
function placesIn({ classes, pupils }: RosterState): Map<string, Map<string, RosterPupil>> {
  const subjects = new Map(classes.map(({ id, subject }) => [id, subject]))
  const places = new Map<string, Map<string, RosterPupil>>()
  for (const pupil of pupils) {
    const of = pupil.class === null ? null : (subjects.get(pupil.class) ?? null)
    if (of === null || pupil.subject === null) continue
    if (!places.has(of)) places.set(of, new Map())
    places.get(of)!.set(pupil.subject, pupil)
  }
  return places
}

/** Who should be in which class; only classes in which somebody is. */
function wantedIn(
  roster: Roster,
  current: ReadonlyMap<string, ReadonlyMap<string, RosterPupil>>,
  faults: FaultList,
  known: { readonly classes: ReadonlySet<string>; readonly people: ReadonlySet<string | null> },
): Map<string, Set<string>> {
  const gone = new Set([...roster.classes, ...roster.people].filter((one) => one.gone).map(keyOf))
  const wanted = new Map<string, Set<string>>()
  const of = (id: string) => wanted.get(id) ?? wanted.set(id, new Set()).get(id)!
  if (roster.isDelta) for (const [id, pupils] of current) for (const subject of pupils.keys()) of(id).add(subject)
  // a place that is in the file twice is gone only if both are
  for (const place of roster.places) if (place.gone) of(place.class).delete(place.person)
  for (const { class: id, person, line } of roster.places.filter((place) => !place.gone)) {
    const at = { file: 'enrollments.csv', line }
    if (!known.classes.has(id)) faults.add('unknown', { ...at, column: 'classSourcedId', value: id })
    else if (!known.people.has(person)) faults.add('unknown', { ...at, column: 'userSourcedId', value: person })
    else of(id).add(person)
  }
  for (const [id, subjects] of wanted) {
    for (const subject of subjects)
      if (gone.has(`class ${id}`) || gone.has(`person ${subject}`)) subjects.delete(subject)
    if (subjects.size === 0) wanted.delete(id)
  }
  return wanted
}

const keyOf = (one: Roster['classes'][number] | RosterPerson) => `${'title' in one ? 'class' : 'person'} ${one.id}`

/**
 * The names of the pupils of a class. The given name, as a child types it; the whole name where two share it. Who has a
 * name that is right keeps it.
 */
function namesOf(
  subjects: readonly string[],
  people: ReadonlyMap<string, RosterPerson>,
  /** Of those of whom the roster has only changes. */
  knownNames: ReadonlyMap<string | null, string>,
  stay: ReadonlyMap<string, RosterPupil> | undefined,
  others: readonly RosterPupil[],
): Map<string, string> {
  const given = (subject: string) => people.get(subject)?.given ?? knownNames.get(subject) ?? ''
  const shared = Map.groupBy([...others.map(({ name }) => name), ...subjects.map(given)], nameKey)
  const names = new Map<string, string>()
  const fresh: { subject: string; name: string }[] = []
  for (const subject of subjects) {
    const before = stay?.get(subject)?.name
    const person = people.get(subject)
    const forms = person
      ? [person.given, Array.from(`${person.given} ${person.family}`).slice(0, 100).join('').trim()]
      : [given(subject)]
    if (before !== undefined && (!person || forms.includes(before.replace(/ \(\d+\)$/, '')))) names.set(subject, before)
    else fresh.push({ subject, name: shared.get(nameKey(forms[0]!))!.length > 1 ? forms.at(-1)! : forms[0]! })
  }
  const told = toldApart(
    fresh.map(({ name }) => name),
    [...others.map(({ name }) => name), ...names.values()],
  )
  for (const [n, { subject }] of fresh.entries()) names.set(subject, told[n]!)
  return names
}
