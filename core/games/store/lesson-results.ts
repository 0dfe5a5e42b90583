import type { ReportGame, WaitingSeat } from '../../../gen/lrs/v1/lesson_results_pb.js'
import { boards, schools } from '../../../shared/limits.ts'
import { first, seconds, sql, type Database } from '../../process/database/database.ts'
import type { Fields } from '../../process/methods/answer.ts'
import { ofSchool, type Lesson } from './lessons.ts'
import { isElsewhere, isHere } from './seats.ts'

/** Which statements are read: those of a game that were stored between two times. */
export interface Span {
  readonly game: number
  /** UUID. */
  readonly gameId: string
  /** Of the game: milliseconds; null: the studio has not set it. */
  readonly start: number | null
  /** Microseconds. */
  readonly after: number
  /** null: there is no end. */
  readonly until: number | null
}

interface ClassPupil {
  readonly pupilId: string
  readonly name: string
  readonly alias: string
  /** UUID of its account in the game; null: it has none yet. */
  readonly learner: string | null
}

export interface BoardRead extends Lesson, Span {
  /** Microseconds. */
  readonly now: number
  readonly waiting: readonly Fields<WaitingSeat>[]
  /** `seen`: when its seat was heard of: microseconds; null: it has none. */
  readonly pupils: readonly (ClassPupil & { readonly seatId: string | null; readonly seen: number | null })[]
}

export interface ReportRead extends Span, Pick<Lesson, 'classId' | 'className' | 'gameName' | 'gameSlug'> {
  /** Seconds; 0: of all lessons, or it has not ended. */
  readonly opened: number
  readonly ended: number
  readonly pupils: readonly ClassPupil[]
  readonly games: readonly Fields<ReportGame>[]
}

const micros = (time: string) => `(extract(epoch from ${time}) * 1e6)::float8`
const list = (rows: string) => `(select coalesce(json_agg(r), '[]') from (${rows}) r)`
const ended = 'least(l.ended, case when l.closes <= now() then l.closes end)'
const spanOf = `g.id as game, g.start::float8 as start, coalesce(${micros('l.opened')}, 0) as after,
  ${micros(ended)} as until`
const pupilOf = 'p.uuid as "pupilId", p.name, p.alias, a.learner'
const pupils = 'pupil p left join pupil_learner a on a.pupil = p.uuid and a.game = g.id'

const board = sql('lesson_board')`
  select o.*, s.*, ${micros('clock_timestamp()')} as now from (${ofSchool} and l.uuid = $2) o
    cross join lateral (select ${spanOf},
      ${list(`select s.uuid as "seatId", s.sign, ${seconds('s.asked')} as asked, ${isElsewhere('l.uuid')} as elsewhere,
            s.let_in is not null as "letIn"
          from seat s where s.lesson = l.uuid and s.pupil is null and ${isHere} order by s.asked
          limit ${boards.waiting}`)} as waiting,
      ${list(`select ${pupilOf}, t.uuid as "seatId", ${micros('t.seen')} as seen from ${pupils}
          left join lateral (select s.uuid, s.seen from seat s where s.pupil = p.uuid and s.lesson = l.uuid and ${isHere}
            order by s.seen desc limit 1) t on true
          where p.class = l.class order by p.created, p.uuid limit ${schools.ofClass}`)} as pupils
      from lesson l join game g on g.id = l.game where l.uuid = o."lessonId") s`

const isPlayed = `(exists (select from pupil p join pupil_learner a on a.pupil = p.uuid and a.game = g.id
    where p.class = c.uuid) or exists (select from lesson n where n.class = c.uuid and n.game = g.id))`
const report = sql('class_report')`
  select ${spanOf}, g.uuid as "gameId", c.uuid as "classId", c.name as "className", g.name as "gameName",
      g.slug as "gameSlug", ${seconds('l.opened')} as opened, ${seconds(ended)} as ended,
      ${list(`select ${pupilOf} from ${pupils} where p.class = c.uuid order by p.created, p.uuid
          limit ${schools.ofClass}`)} as pupils,
      ${list(`select g.slug, g.name from game g where g.id in (select a.game from pupil p
            join pupil_learner a on a.pupil = p.uuid where p.class = c.uuid) order by g.name, g.id
          limit ${boards.games}`)} as games
    from school_class c
    left join lesson l on l.uuid = $3 and l.class = c.uuid
    join game g on g.id = case when $4 <> '' then (select id from game where slug = $4)
      else coalesce(l.game, (select n.game from lesson n where n.class = c.uuid order by n.opened desc limit 1)) end
    where c.school = $1 and c.uuid = coalesce($2, (select class from lesson where uuid = $3))
      and ($3::uuid is null or l.uuid is not null) and ($4 = '' or ${isPlayed})`

/** Lessons of the class that follow each other without a gap, with $2 of school $1. */
const sitting = sql('lesson_sitting')`
  with near as (select n.uuid, n.opened, max(coalesce(n.ended, n.closes)) over (order by n.opened, n.uuid
        rows between unbounded preceding and 1 preceding) as before
      from lesson l join school_class c on c.uuid = l.class join lesson n on n.class = l.class
        and n.opened between l.opened - interval '1 day' and l.opened + interval '1 day'
      where c.school = $1 and l.uuid = $2),
    parted as (select *, count(*) filter (where before is null or before < opened) over (order by opened, uuid) as part
      from near)
  select uuid as id from parted where part = (select part from parted where uuid = $2)
    order by opened desc, uuid limit ${boards.sitting}`

/** What members of a school see of its lessons. @param school of each call: what another one has is not found */
export const lessonResultStore = ({ run }: Database) => ({
  /** Undefined: the school has no such lesson. */
  board: (school: number, lessonId: string) => first(run<BoardRead>(board, [school, lessonId])),

  /**
   * Of a class or a lesson, in one game. Undefined: the school has no such class or lesson, or the class has not played
   * the game. @param gameSlug empty: that of the lesson, or of the newest lesson of the class
   */
  report: (school: number, classId: string | null, lessonId: string | null, gameSlug: string) =>
    first(run<ReportRead>(report, [school, classId, lessonId, gameSlug])),

  /** Ids of the lessons of a sitting, in their order; none: the school has no such lesson. */
  sitting: async (school: number, lessonId: string) =>
    (await run<{ id: string }>(sitting, [school, lessonId])).map(({ id }) => id).toReversed(),
})
