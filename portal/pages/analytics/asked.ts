import type { GetAnswersResponse } from '../../../gen/lrs/v1/answers_pb.js'
import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { firstCutValue } from '../../../shared/result-address.ts'
import { nameOf } from '../parts/describe.ts'
import { html, type Html } from '../../web/html.ts'
import { dataPath, type DataView } from '../parts/data-view.ts'
import { daysOf, type Choice } from '../parts/data-filters.ts'

/** An activity as core's answers have it. */
interface Activity {
  readonly activityId: string
  readonly name: string
}

/** What the charts of a game need beside the numbers. */
export interface Asked {
  readonly game: Game
  readonly view: DataView
  /** An activity for people, without its IRI. */
  readonly name: (activity: Activity) => string
  /** Builds that became public, the oldest first. */
  readonly releases: readonly { readonly day: string; readonly text: string }[]
  /** Its statements in these days. */
  readonly href: (filters: Readonly<Record<string, string>>) => string
}

export function askedOf(game: Game, view: DataView): Asked {
  const { from, to } = daysOf(view)
  return {
    game,
    view,
    releases: view.sandbox ? [] : releasesOf(game, view),
    name: ({ activityId, name }) => name || (nameOf(activityId, game.summary) ?? lastPart(activityId)),
    href: (filters) => dataPath(game, 'statements', view, { ...filters, since: from, until: to }),
  }
}

/** Each build on the day on which it was approved first. */
function releasesOf({ reviews }: Game, { zone = 'UTC' }: DataView): Asked['releases'] {
  const inZone = new Intl.DateTimeFormat('en-CA', { timeZone: zone })
  const approved = reviews.filter(({ approved, number }) => approved && number > 0)
  const first = new Map(approved.map(({ number, version, decided }) => [number, { version, decided }]))
  return [...first]
    .toSorted(([, one], [, other]) => Number(one.decided - other.decided))
    .map(([number, { version, decided }]) => ({
      day: inZone.format(new Date(Number(decided) * 1000)),
      text: version || `Build ${number}`,
    }))
}

/** Releases at the places of these days. */
export const releasesIn = ({ releases }: Asked, days: readonly { readonly day: string }[]) =>
  releases.flatMap(({ day, text }) => {
    const at = days.findIndex((one) => one.day === day)
    return at < 0 ? [] : [{ at, text }]
  })

/** The end of an IRI, for what no statement named. */
export const lastPart = (iri: string): string => {
  const part = iri.split(/[/#]/).findLast((part) => part !== '') ?? iri
  return part.slice(0, 80)
}

/** What people call the cut of a game; undefined: there is none. */
export const cutName = (cut: string): string | undefined => (cut === '' ? undefined : lastPart(cut))

/** “Not told” and “Other values” are words of core; the rest are values of the game. */
function nameOfValue(number: number, name: string, cut: string): string {
  if (number === firstCutValue) return `${lastPart(cut)} not told`
  return number === firstCutValue + 1 ? name : `“${name}”`
}

/** Builds and values of the cut, as people call them. */
export const choicesOf = ({ builds, cut, cutValues }: GetAnswersResponse): Choice[] => [
  ...builds,
  ...cutValues.map(({ number, name, people }) => ({
    number,
    people,
    name: nameOfValue(number, name, cut),
  })),
]

/** What an empty chart says: how a game tells of it. */
export const hint = (text: string): Html =>
  html`<p>${text} <a href="/docs/serious-games">Statements that charts understand</a></p>`

/** What an empty chart says otherwise. */
export const plain = (text: string): Html => html`<p>${text}</p>`
