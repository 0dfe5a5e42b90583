import type { Lesson as Message } from '../../../gen/lrs/v1/lessons_pb.js'
import { lessons as limits } from '../../../shared/limits.ts'
import { did, first, only, seconds, sql, type Database, type Run } from '../../process/database/database.ts'
import type { Fields } from '../../process/methods/answer.ts'
import { playedGame } from './learner-choice.ts'
import { endSeatsOf, isTaught } from './seats.ts'

export type Lesson = Fields<Message>

export interface LessonWanted {
  readonly classId: string
  /** The game's name in addresses. */
  readonly gameSlug: string
  readonly newcomers: boolean
  readonly teacher: number
  /** Keyed hash of the teacher's network. */
  readonly network: string
}

/** SQL: the lesson `l` is open. */
const isOpen = 'l.ended is null and l.closes > now()'
/** SQL: lessons of the classes of school $1. */
export const ofSchool = `select l.uuid as "lessonId", l.class as "classId", c.name as "className", g.uuid as "gameId",
    g.name as "gameName", coalesce(g.slug, '') as "gameSlug", case when ${isOpen} then l.code else '' end as code,
    l.newcomers, l.paused, ${seconds('l.opened')} as opened, ${seconds('l.closes')} as closes,
    ${seconds(`coalesce(l.ended, case when l.closes <= now() then l.closes end)`)} as ended
  from lesson l join school_class c on c.uuid = l.class join game g on g.id = l.game where c.school = $1`
const one = sql('lesson_one')`${ofSchool} and l.uuid = $2`
const list = sql('lesson_list')`${ofSchool} and c.uuid = $2 order by l.opened desc, l.uuid limit ${limits.listed}`
const ownClass = sql('lesson_lock_class')`select from school_class where school = $1 and uuid = $2 for update`
const count = sql('lesson_count')`
  select count(*)::int as open from lesson l join school_class c on c.uuid = l.class where c.school = $1 and ${isOpen}`
const openOfClass = sql('lesson_open_of_class')`select uuid as id from lesson where class = $1 and ended is null`
const add = sql('lesson_add')`
  insert into lesson (class, game, teacher, code, network, newcomers, closes)
    values ($1, $2, $3, $4, $5, $6, now() + interval '${limits.hours} hours')
    on conflict (code) do nothing returning uuid as id`
const own = sql('lesson_own')`select l.uuid as id, l.game from lesson l join school_class c on c.uuid = l.class
    where c.school = $1 and l.uuid = $2 and ${isOpen} for update of l`
// the game before becomes a lesson of its own; its pages send what was left when they close
const part = sql('lesson_part')`insert into lesson (class, game, teacher, network, newcomers, opened, closes, ended)
  select class, game, teacher, '', newcomers, opened, closes, now() + interval '${limits.lateSeconds} seconds'
    from lesson where uuid = $1`
const change = sql('lesson_change')`update lesson set game = $2, paused = coalesce($3, paused),
    opened = case when game = $2 then opened else now() end where uuid = $1`
const end = sql('lesson_end')`
  update lesson set ended = least(now(), closes), code = null, network = ''
    where uuid = $1 and ended is null returning 1`
const over = sql('lesson_over')`
  select uuid as id from lesson l where ended is null and (closes <= now() or not ${isTaught}) order by closes limit $1`
const byCode = sql('lesson_by_code')`select l.uuid as id, l.network = $2 or exists (select from seat s
      where s.lesson = l.uuid and s.network = $2 and s.let_in is not null) as "isKnown"
    from lesson l where l.code = $1 and ${isOpen} and ${isTaught}`

/** Ends a lesson with its seats and their sessions; false: it has ended already. */
async function endLesson(run: Run, id: string): Promise<boolean> {
  if (!(await did(run(end, [id])))) return false
  await endSeatsOf(run, id)
  return true
}

/** Lessons of the classes of schools. @param school of each call: a lesson of another one is not found */
export function lessonStore({ run, transaction }: Database) {
  /** Runs with the open lesson locked; undefined: the school has none with this id. */
  const locked = <Result>(school: number, id: string, work: (run: Run, game: number) => Promise<Result>) =>
    transaction(async (run) => {
      const [lesson] = await run<{ game: number }>(own, [school, id])
      return lesson && work(run, lesson.game)
    })

  return {
    /** Undefined: the school has no such lesson. */
    get: (school: number, id: string) => first(run<Lesson>(one, [school, id])),

    /** Newest first. */
    list: (school: number, classId: string) => run<Lesson>(list, [school, classId]),

    /** Opens a lesson in place of the open one of the class. @param newCode makes a code; it may be taken */
    open: (
      school: number,
      { classId, gameSlug, newcomers, teacher, network }: LessonWanted,
      newCode: () => string,
    ): Promise<Lesson | 'no-class' | 'no-game' | 'full'> =>
      transaction(async (run) => {
        if (!(await did(run(ownClass, [school, classId])))) return 'no-class'
        const game = await playedGame(run, gameSlug)
        if (!game) return 'no-game'
        for (const { id } of await run<{ id: string }>(openOfClass, [classId])) await endLesson(run, id)
        if ((await only(run<{ open: number }>(count, [school]))).open >= limits.ofSchool) return 'full'
        for (;;) {
          const added = await run<{ id: string }>(add, [classId, game.id, teacher, newCode(), network, newcomers])
          if (added[0]) return only(run<Lesson>(one, [school, added[0].id]))
        }
      }),

    /** Changes the game (empty: the same one), or the pause. Undefined: there is no such lesson. */
    change: (
      school: number,
      id: string,
      { gameSlug, paused }: { readonly gameSlug: string; readonly paused: boolean | undefined },
    ): Promise<'done' | 'no-game' | undefined> =>
      locked(school, id, async (run, game) => {
        const next = gameSlug === '' ? { id: game } : await playedGame(run, gameSlug)
        if (!next) return 'no-game'
        if (next.id !== game) await run(part, [id])
        await run(change, [id, next.id, paused ?? null])
        return 'done'
      }),

    /** Undefined: the school has no such lesson, or it has ended. */
    end: (school: number, id: string): Promise<boolean | undefined> => locked(school, id, (run) => endLesson(run, id)),

    /** Runs with an open lesson of the school; undefined: there is none. */
    within: <Result>(school: number, id: string, work: (run: Run) => Promise<Result>) => locked(school, id, work),

    /** The open lesson with this code; `isKnown`: the network is its teacher's, or of a seat that was let in. */
    byCode: (code: string, network: string) => first(run<{ id: string; isKnown: boolean }>(byCode, [code, network])),

    /** Ends at most `limit` lessons that are over, or whose school is suspended or has ended; returns how many. */
    close: (limit: number): Promise<number> =>
      transaction(async (run) => {
        const ids = await run<{ id: string }>(over, [limit])
        for (const { id } of ids) await endLesson(run, id)
        return ids.length
      }),
  }
}
