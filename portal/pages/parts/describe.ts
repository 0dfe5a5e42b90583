import { inEnglish, type Say, type TextName } from '../../web/say.ts'

/** A statement in words: `<who> <did> <what>, <details>`. */
export interface Description {
  readonly who: string
  readonly did: string
  readonly what: string
  /** Score, success, duration, answer. */
  readonly details: readonly string[]
}

export interface NamedGame {
  readonly gameId: string
  readonly name: string
}

type Json = unknown
type Members = { readonly [name: string]: Json }

const adl = 'http://adlnet.gov/expapi/verbs/'
const longest = 120

/**
 * Describes a stored statement in the languages of the visitor, the best first, then in English, then in any other.
 * All of it is text from outside: cut, without control characters, and still to be escaped.
 * @param game which sent the statement
 */
export function describe(
  statement: Json,
  languages: readonly string[],
  game?: NamedGame,
  say: Say = inEnglish,
): Description {
  const { actor, verb, object, result } = members(statement)
  const { id } = members(verb)
  return {
    who: person(say, actor, 'seen.learner'),
    did: inLanguage(members(verb)['display'], languages, false) ?? lastSegment(id, say.text('seen.did')),
    what: thing(say, object, languages, game),
    details: outcome(
      say,
      members(result),
      typeof id === 'string' ? id : '',
      answers(members(members(object)['definition']), languages),
    ),
  }
}

/** The name of the game, if the IRI is that of the game as an activity, which launches hand out. */
export const nameOf = (iri: Json, game: NamedGame | undefined): string | undefined =>
  game !== undefined && typeof iri === 'string' && iri.endsWith(`/games/${game.gameId}`) ? text(game.name) : undefined

/** The description as one sentence. */
export const sentence = ({ who, did, what, details }: Description, say: Say = inEnglish): string =>
  [say.text('seen.line', { who, did, what }).trim(), ...details].join(', ')

/** Tags of an Accept-Language header, the best first. */
export function languagesIn(header: string): string[] {
  const ranges = header
    .slice(0, 500)
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.trim().split(';')
      const weight = parameters.map((parameter) => /^\s*q=([\d.]+)/.exec(parameter)?.[1]).find((q) => q !== undefined)
      return { tag: tag.toLowerCase(), weight: weight === undefined ? 1 : Number(weight) }
    })
  return ranges
    .filter(({ tag, weight }) => /^[a-z\d-]+$/.test(tag) && weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag)
}

function person(say: Say, actor: Json, nameless: TextName): string {
  const { objectType, name, member } = members(actor)
  const known = text(name)
  if (known !== undefined) return known
  if (objectType !== 'Group') return say.text(nameless)
  const people = Array.isArray(member) ? member : []
  if (people.length === 0) return say.text('seen.group', { count: 0 })
  const names = people.map((one) => text(members(one)['name'])).filter((one) => one !== undefined)
  if (names.length === 0) return say.text('seen.group', { count: people.length })
  const [first = '', second] = names
  if (people.length === 1) return first
  if (people.length === 2 && second !== undefined) return say.text('seen.two', { first, second })
  return say.text('seen.others', { first, count: people.length - 1 })
}

function thing(say: Say, object: Json, languages: readonly string[], game: NamedGame | undefined): string {
  const { objectType = 'Activity', id, definition } = members(object)
  switch (objectType) {
    case 'Activity':
      return (
        inLanguage(members(definition)['name'], languages, true) ??
        nameOf(id, game) ??
        lastSegment(id, say.text('seen.activity'))
      )
    case 'StatementRef':
      return say.text('seen.statement', { id: text(id)?.slice(0, 8) ?? '' })
    case 'SubStatement': {
      const inner = { ...members(object), object: shallow(members(object)['object']) }
      return say.text('seen.quoted', { text: sentence(describe(inner, languages, game, say), say) })
    }
    default:
      return person(say, object, 'seen.person')
  }
}

/** A SubStatement must not hold another one, so the description stops there. */
const shallow = (object: Json): Json =>
  members(object)['objectType'] === 'SubStatement' ? { objectType: 'Activity' } : object

function outcome(
  say: Say,
  { score, success, completion, duration, response, extensions }: Members,
  verb: string,
  known: ReadonlyMap<string, string>,
): string[] {
  const told = (name: string) => verb === adl + name
  return [
    progress(say, members(extensions)),
    points(say, members(score)),
    success === true && !told('passed') ? say.text('seen.success') : undefined,
    success === false && !told('failed') ? say.text('seen.noSuccess') : undefined,
    completion === false ? say.text('seen.notToTheEnd') : undefined,
    lasted(say, duration),
    answer(say, response, known),
  ].filter((detail) => detail !== undefined)
}

/** The extension of serious games counts from 0 to 1, that of cmi5 from 0 to 100. */
function progress(say: Say, extensions: Members): string | undefined {
  const [iri = '', value] = Object.entries(extensions).find(([iri]) => /\/ext(?:ensions)?\/progress$/.test(iri)) ?? []
  if (typeof value !== 'number') return undefined
  const percent = iri.includes('/cmi5/') ? value : value * 100
  return percent >= 0 && percent <= 100 ? say.text('seen.progress', { share: say.number(percent) }) : undefined
}

function points(say: Say, { scaled, raw, max }: Members): string | undefined {
  if (typeof scaled === 'number') return say.text('end.percent', { share: say.number(scaled * 100) })
  if (typeof raw !== 'number') return undefined
  return typeof max === 'number'
    ? say.text('seen.pointsOf', { points: say.number(raw), most: say.number(max) })
    : say.text('end.points', { points: raw, shown: say.number(raw) })
}

/** `PT1H2M3.5S` as `in 1 h 2 min 4 s`. */
function lasted(say: Say, duration: Json): string | undefined {
  if (typeof duration !== 'string' || duration.length > 64) return undefined
  const found =
    /^P(?:([\d.]+)Y)?(?:([\d.]+)M)?(?:([\d.]+)W)?(?:([\d.]+)D)?(?:T(?:([\d.]+)H)?(?:([\d.]+)M)?(?:([\d.]+)S)?)?$/.exec(
      duration,
    )
  if (!found) return undefined
  const [, years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = found.map((part) =>
    part === undefined ? undefined : Number(part),
  )
  if (years > 0 || months > 0) return say.text('seen.in', { time: duration })
  const total = (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds
  return Number.isFinite(total) ? say.text('seen.in', { time: say.time(total) }) : undefined
}

/** `1 h 2 min 4 s` */
export const lengthText = (seconds: number): string => inEnglish.time(seconds)

/** Descriptions of the choices of an interaction, by id (xAPI 1.0.3 Data 2.4.4.1, interaction components). */
function answers({ choices, scale }: Members, languages: readonly string[]): ReadonlyMap<string, string> {
  const components = [choices, scale].filter(Array.isArray).flat().slice(0, 100).map(members)
  const entries = components.map(({ id, description }) => [id, inLanguage(description, languages, true)] as const)
  return new Map(
    entries.filter((entry): entry is [string, string] => typeof entry[0] === 'string' && entry[1] !== undefined),
  )
}

/** `[,]` separates several answers. */
function answer(say: Say, response: Json, known: ReadonlyMap<string, string>): string | undefined {
  const given = text(
    typeof response === 'string' && known.size > 0
      ? response
          .split('[,]')
          .map((id) => known.get(id) ?? id)
          .join(', ')
      : response,
  )
  return given === undefined ? undefined : say.text('seen.answer', { text: given })
}

/** The text of a language map in the best language. @param any takes any language if no other fits */
function inLanguage(map: Json, languages: readonly string[], any: boolean): string | undefined {
  const entries = Object.entries(members(map))
    .map(([tag, value]) => [tag.toLowerCase(), text(value)] as const)
    .filter(([, value]) => value !== undefined)
  const primary = (tag: string): string => tag.split('-')[0]!
  for (const language of [...languages, 'en']) {
    const found =
      entries.find(([tag]) => tag === language) ?? entries.find(([tag]) => primary(tag) === primary(language))
    if (found) return found[1]
  }
  return any ? entries[0]?.[1] : undefined
}

function lastSegment(iri: Json, otherwise: string): string {
  if (typeof iri !== 'string') return otherwise
  const segment =
    iri
      .slice(0, 2_000)
      .split(/[/#?:]/)
      .filter((part) => part !== '')
      .at(-1) ?? ''
  return text(decoded(segment).replaceAll(/[-_+]/g, ' ')) ?? otherwise
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** One line, without characters that are invisible or change the direction of text; undefined: it is empty. */
export function text(value: Json): string | undefined {
  if (typeof value !== 'string') return undefined
  const line = value
    .slice(0, 1_000)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g, '')
    .trim()
  if (line === '') return undefined
  const letters = Array.from(line)
  return letters.length > longest ? `${letters.slice(0, longest).join('')}…` : line
}

function members(value: Json): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {}
}
