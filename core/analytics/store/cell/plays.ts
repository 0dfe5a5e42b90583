import { reachedIn } from '../../rules/person-days.ts'
import { allBuilds } from '../../rules/turn.ts'
import { daysAndMonths, periodsOf } from '../../rules/facts/periods.ts'
import { kinds, type Kind } from '../../rules/plays.ts'
import type { Key } from '../../../records/xapi/identify.ts'
import { parse } from '../../../records/xapi/json.ts'
import type { Database } from '../../../process/database/database.ts'
import { columns } from './folds/columns.ts'
import { daysOf, type DayColumns } from './folds/plays.ts'
import { reachedBy } from './cursors.ts'
import { keyWith } from './folds/cuts.ts'
import type { Counted } from '../../rules/counted.ts'
import { choices, mostListed, most, named, people, players, thingOf } from './play-lists.ts'

/** Days since 1970 in UTC, both included, and the number of a build or of a value of the game's cut; undefined: all builds. */
export interface PlayRange {
  readonly from: number
  readonly to: number
  readonly build?: number
}

export interface PlayedThing {
  readonly thing: number
  readonly iri: string
  readonly name: string
  /** IRI; empty: no statement gave one. */
  readonly type: string
}

/** Something that players did something with: statements and people of each kind that was asked for, in its order. */
export interface ThingCounts extends PlayedThing {
  readonly statements: readonly number[]
  readonly people: readonly number[]
  /** People by bins of their latest and highest progress. */
  readonly reached: readonly Reached[]
}

export interface Reached {
  readonly latest: number
  readonly highest: number
  readonly people: number
}

export interface OptionCounts {
  readonly thing: number
  /** As in `play_choice_day`. */
  readonly option: number
  readonly response: string
  readonly name: string
  readonly chosen: number
  readonly right: number
  readonly wrong: number
  readonly unlocked: number
}

export interface PlayerReached {
  readonly actor: Key
  /** JSON of the actor's last statement; undefined: none is left. */
  readonly body?: string
  readonly last: number
  readonly day: number
  readonly latest: number
  readonly highest: number
  readonly count: number
}

/** Where a page of players begins: after this one. */
export interface AfterPlayer {
  readonly last: number
  readonly actor: Key
}

/** What is listed, and how far it is counted. */
export interface PlaysListed extends Counted {
  readonly things: readonly ThingCounts[]
  /** Of alternatives only. */
  readonly options: readonly OptionCounts[]
  /** There are more things. */
  readonly more: boolean
}

export interface PlayersListed extends Counted {
  /** Undefined: nobody made any progress in it, ever. */
  readonly thing?: PlayedThing
  readonly players: readonly PlayerReached[]
}

type Row<T> = T & Record<string, unknown>

/** Reads what players did with things of a game. */
export function playStore({ snapshot }: Pick<Database, 'snapshot'>) {
  return {
    /** Those with the most statements of these kinds, from one snapshot. */
    list: (game: number, { from, to, build = allBuilds }: PlayRange, asked: readonly Kind[]): Promise<PlaysListed> =>
      snapshot(async (run) => {
        const { counts: shown, cut: _cut, ...rest } = await reachedBy(run, game)
        const counts = keyWith(shown, build)
        const ranges = periodsOf(from, to)
        const periods = columns(ranges, 'wholeMonth', 'from', 'to')
        const found = await run<{ thing: number; statements: number[]; kinds: Kind[] }>(most, [
          counts,
          asked,
          ...periods,
          build,
        ])
        const listed = found.slice(0, mostListed)
        const numbers = listed.map(({ thing }) => thing)
        if (numbers.length === 0) return { things: [], options: [], more: false, ...rest }
        const names = await run<Row<PlayedThing>>(named, [counts, numbers])
        const reached = await run<Row<Reached & { thing: number; kind: Kind }>>(people, [
          counts,
          asked,
          ...columns(daysAndMonths(ranges), 'wholeMonth', 'day'),
          to,
          numbers,
          build,
        ])
        const options = asked.includes(kinds.chosen)
          ? await run<Row<OptionCounts>>(choices, [counts, ...periods, numbers, build])
          : []
        const things = listed.map(({ thing, statements, kinds: told }) => {
          const own = reached.filter((one) => one.thing === thing)
          return {
            ...names.find((one) => one.thing === thing)!,
            statements: asked.map((kind) => statements[told.indexOf(kind)] ?? 0),
            people: asked.map((kind) => sumOf(own.filter((one) => one.kind === kind))),
            reached: own,
          }
        })
        return { things, options, more: found.length > mostListed, ...rest }
      }),

    /** Players by the progress that they made in an activity. */
    players: (
      game: number,
      { from, to, build = allBuilds }: PlayRange,
      activity: Key,
      after: AfterPlayer,
      limit: number,
    ): Promise<PlayersListed> =>
      snapshot(async (run) => {
        const { counts: shown, cut: _cut, ...rest } = await reachedBy(run, game)
        const counts = keyWith(shown, build)
        const [known] = await run<{ thing: number }>(thingOf, [counts, activity])
        if (!known) return { players: [], ...rest }
        const [thing] = await run<Row<PlayedThing>>(named, [counts, [known.thing]])
        type PlayerRow = Row<DayColumns & { actor: Key; last: number; body: string | null }>
        const values = [counts, build, known.thing, after.last, after.actor, from, to, limit]
        const rows = await run<PlayerRow>(players, values)
        return {
          thing,
          ...rest,
          players: rows.map(({ actor, last, body, ...row }) => ({
            actor,
            last,
            body: body ?? undefined,
            ...reachedIn(daysOf(row), build, from, to)!,
          })),
        }
      }),
  }
}

export type PlayStore = ReturnType<typeof playStore>

const sumOf = (rows: readonly Reached[]): number => rows.reduce((sum, { people }) => sum + people, 0)

/** JSON of the actor of a statement, and what people call it. */
export function actorIn(body: string | undefined): { agent: string; name: string } {
  if (body === undefined) return { agent: '', name: '' }
  const { actor } = parse(body) as { actor: { name?: string } }
  return { agent: JSON.stringify(actor), name: actor.name ?? '' }
}
