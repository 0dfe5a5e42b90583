import { lessons as limits, schools } from '../../../shared/limits.ts'
import {
  column,
  did,
  done,
  first,
  only,
  sql,
  type Database,
  type Prepared,
  type Run,
} from '../../process/database/database.ts'
import { endSessions, type RunningSession } from '../../records/store/cell/ended-sessions.ts'
import type { whoIs } from '../rules/pupil-names.ts'
import { addLearner, agree, playedGame, type PlayedGame } from './learner-choice.ts'
import { addPlayed, type NewLaunchSession } from './launches.ts'

/** A browser in an open lesson. */
export interface Seat {
  readonly id: string
  readonly class: string
  readonly sign: number
  readonly isIn: boolean
  /** UUID; null: nobody has said yet which pupil it is. */
  readonly pupil: string | null
  readonly pupilName: string | null
  readonly gameSlug: string
  readonly gameName: string
  readonly newcomers: boolean
  readonly paused: boolean
  /** Its page was closed, so it is about to end. */
  readonly isLeft: boolean
}

interface NewSeat {
  readonly tokenHash: Buffer
  /** Keyed hash of the browser's network. */
  readonly network: string
}

interface ClassPupil {
  readonly id: string
  readonly name: string
  readonly alias: string
  readonly picture: number | null
}

/** Who is at a seat, as it was typed. */
interface Who {
  readonly name: string
  readonly picture: number
  readonly whoIs: typeof whoIs<ClassPupil>
  /** A pupil that is not in the class, given the aliases that the class has. */
  readonly newcomer: (aliases: readonly string[]) => { readonly name: string; readonly alias: string }
}

/** SQL: networks whose seats may be let in with one press. */
const known = (lesson = '$1') => `select network from lesson where uuid = ${lesson} union select network from seat
  where lesson = ${lesson} and let_in is not null`
/** SQL: the seat `s` is on a network that is not the teacher's, and from which nobody was let in. */
export const isElsewhere = (lesson?: string) => `s.network not in (${known(lesson)})`
/** SQL: the school of the lesson `l` is neither suspended nor at its end. */
export const isTaught = `exists (select from school_class o join studio s on s.id = o.school
  where o.uuid = l.class and s.suspended is null and s.ended is null)`
/** SQL: nobody has to agree for the pupil `p` of the school `s`, or a parent has agreed to the text of now. */
export const mayPlay = 'coalesce(p.agreed = s.parents_text, s.parents_text is null)'
/** SQL: the seat `s` has not ended. */
export const isHere = 's.ended is null and s.until > now()'
const idle = `interval '${limits.idleMinutes} minutes'`

const select = `select s.uuid as id, l.class, s.sign, s.let_in is not null as "isIn", s.pupil, p.name as "pupilName",
    coalesce(g.slug, '') as "gameSlug", g.name as "gameName", l.newcomers, l.paused,
    s.until <= now() + interval '${limits.closedSeconds} seconds' as "isLeft"
  from seat s join lesson l on l.uuid = s.lesson join game g on g.id = l.game left join pupil p on p.uuid = s.pupil
  where s.token_hash = $1 and ${isHere} and l.ended is null and l.closes > now() and ${isTaught}`
const one = sql('seat_one')`${select}`
// pages ask every 1.5 seconds: a row is written every 20 seconds only, or when the seat was about to end
const seen = sql('seat_seen')`with seen as (update seat s set seen = now(), until = now() + ${idle}
    where s.token_hash = $1 and ${isHere} and s.until < now() + ${idle} - interval '20 seconds') ${select}`
const lock = sql('seat_lock')`${select} for update of s`
const lockLesson = sql('seat_lock_lesson')`
  select from lesson where uuid = $1 and ended is null and closes > now() for update`
const count = sql('seat_count')`select count(*) filter (where ${isHere})::int as all, count(*)::int as rows,
    count(*) filter (where ${isHere} and s.let_in is null and ${isElsewhere()})::int as elsewhere,
    $2 <> all (array(${known()})) as "isElsewhere",
    array(select o.sign from seat o where o.lesson = $1 and o.ended is null and o.let_in is null)::int[] as signs
  from seat s where s.lesson = $1`
const add = sql('seat_add')`insert into seat (lesson, token_hash, network, sign, pupil, let_in, until)
    values ($1, $2, $3, $4, $5, case when $5::uuid is not null then now() end, now() + ${idle}) returning uuid as id`
const byCard = sql(
  'seat_card',
)`select p.uuid as pupil, p.class, l.uuid as lesson from pupil p join lesson l on l.class = p.class
    where p.card_hash = $1 and l.ended is null and l.closes > now() and ${isTaught} order by l.opened desc limit 1`
const letIn = sql('seat_let_in')`update seat s set let_in = now() where s.lesson = $1 and ${isHere} and s.let_in is null
    and case when $2::uuid[] is null then not ${isElsewhere()} else s.uuid = any ($2) end returning 1`
const pupils = sql(
  'seat_pupils',
)`select uuid as id, name, alias, picture from pupil where class = $1 limit ${schools.ofClass}`
const lockClass = sql('seat_lock_class')`select from school_class where uuid = $1 for update`
const addPupil = sql('seat_add_pupil')`
  insert into pupil (class, name, alias, picture) values ($1, $2, $3, $4) returning uuid as id`
const choosePicture = sql('seat_choose_picture')`update pupil set picture = coalesce(picture, $2) where uuid = $1`
const mistaken = sql('seat_mistaken')`update seat set wrong = wrong + 1,
    ended = case when wrong + 1 >= ${limits.wrongNames} then now() end where uuid = $1`
const setPupil = sql('seat_set_pupil')`update seat set pupil = $2 where uuid = $1`
// a newcomer is no pupil yet: it plays where the school acts for the parents
const agreedFor = sql('seat_agreed_for')`select from school_class c join studio s on s.id = c.school
    left join pupil p on p.uuid = $2 where c.uuid = $1 and ${mayPlay}`
const lockPupil = sql('seat_lock_pupil')`select from pupil where uuid = $1 for update`
// other names in each game: nobody can tell by them that two accounts are one pupil's
const namesIn = sql('seat_names_in_game')`select l.name from pupil p join pupil_learner a on a.pupil = p.uuid
    join learner l on l.uuid = a.learner where p.class = $1 and a.game = $2`
const learnerIn = sql('seat_learner')`select learner as id from pupil_learner where pupil = $1 and game = $2`
// of the same person in another class
const learnerElsewhere = sql('seat_learner_elsewhere')`select l.learner as id from pupil_identity i
    cross join lateral (select o.pupil from pupil_identity o
      where o.school = i.school and o.source = i.source and o.subject = i.subject offset 0) o
    cross join lateral (select learner from pupil_learner where pupil = o.pupil and game = $2 offset 0) l
    where i.pupil = $1 limit 1`
const addLearnerIn = sql('seat_add_learner')`insert into pupil_learner (pupil, game, learner) values ($1, $2, $3)`
const endSoon = sql('seat_end_soon')`update seat set
    until = least(until, now() + interval '${limits.closedSeconds} seconds') where token_hash = $1 and ended is null`
const end = (which: string, also = '') =>
  `update seat set ended = now()${also} where ended is null and ${which} returning pupil`
const endOfLesson = sql('seat_end_of_lesson')`${end('lesson = $1')}`
// its network is known no more, unless another seat of it was let in
const endOne = sql('seat_end')`${end('lesson = $1 and uuid = $2', ', let_in = null')}`
const endByToken = sql('seat_end_by_token')`${end('token_hash = $1')}`
const endOthers = sql('seat_end_others')`${end('pupil = $1 and uuid <> $2')}`
const endOfPupils = sql('seat_end_of_pupils')`${end('pupil = any ($1)')}`
const endLeft = sql('seat_end_left')`${end(`until <= now() and uuid = any (array(
    select uuid from seat where ended is null and until <= now() order by until limit $1))`)}`
const running = sql('launch_running_of_pupils')`
  select o.uuid as id, extract(epoch from o.expires)::float8 as expires
    from pupil_learner p join launch o on o.learner = p.learner where p.pupil = any ($1) and o.expires > now()`
const sweep = sql('seat_sweep')`delete from seat where uuid = any (array(
      select uuid from seat where ended < now() - interval '${limits.keptHours} hours' order by ended limit $1)) returning 1`

/** Ends all sessions of these pupils: none has a session outside of its lesson. */
export async function endPlaying(run: Run, pupils: readonly string[]): Promise<void> {
  if (pupils.length === 0) return
  const sessions = await run<RunningSession>(running, [pupils])
  if (sessions.length > 0) await endSessions(run, sessions)
}

async function endBy(run: Run, query: Prepared, values: unknown[]): Promise<number> {
  const ended = await run<{ pupil: string | null }>(query, values)
  await endPlaying(
    run,
    ended.flatMap(({ pupil }) => pupil ?? []),
  )
  return ended.length
}

/**
 * Starts a session of a game for a pupil, in place of its others; the learner. Undefined: its parents have not agreed.
 * @param newName of a learner, given those of the class
 */
export async function playAs(
  run: Run,
  { pupil, class: of }: { readonly pupil: string; readonly class: string },
  game: PlayedGame,
  session: NewLaunchSession,
  newName: (taken: readonly string[]) => string,
): Promise<string | undefined> {
  await run(lockPupil, [pupil])
  if (!(await did(run(agreedFor, [of, pupil])))) return undefined
  let learner = await first(run<{ id: string }>(learnerIn, [pupil, game.id]))
  if (!learner) {
    learner = await first(run<{ id: string }>(learnerElsewhere, [pupil, game.id]))
    if (!learner) {
      const taken = await column<string>(run(namesIn, [of, game.id]))
      learner = await only(run<{ id: string }>(addLearner, [game.id, 'invited', newName(taken), null]))
    }
    await run(addLearnerIn, [pupil, game.id, learner.id])
  }
  // the school agrees for its pupils, or their parents have agreed
  const [text] = game.consents
  if (text) await run(agree, [learner.id, text.version, text.language])
  await endPlaying(run, [pupil])
  await addPlayed(run, session, game, { learner: learner.id })
  return learner.id
}

/** Ends all seats of a lesson, with the sessions of their pupils. */
export const endSeatsOf = (run: Run, lesson: string) => endBy(run, endOfLesson, [lesson])

/** Ends the seats and the sessions of pupils who leave their class. */
export async function endSeatsOfPupils(run: Run, pupils: readonly string[]): Promise<void> {
  await run(endOfPupils, [pupils])
  await endPlaying(run, pupils)
}

/** Seats of lessons, found by the hash of their token. */
export function seatStore({ run, transaction }: Database) {
  async function addTo(run: Run, lesson: string, seat: NewSeat, freeSign: FreeSign, pupil?: string) {
    if (!(await did(run(lockLesson, [lesson])))) return 'no-lesson'
    const there = await only(
      run<{ all: number; rows: number; elsewhere: number; isElsewhere: boolean; signs: number[] }>(count, [
        lesson,
        seat.network,
      ]),
    )
    const isFull = pupil === undefined && there.isElsewhere && there.elsewhere >= limits.waitingElsewhere
    const isOver = there.all >= limits.seats || (pupil === undefined && there.rows >= limits.seatsInAll)
    if (isFull || isOver) return 'full'
    const sign = freeSign(there.signs)
    return only(run<{ id: string }>(add, [lesson, seat.tokenHash, seat.network, sign, pupil ?? null]))
  }

  return {
    /** Undefined: there is no such seat, or it has ended. @param isOpen its page is open, so it goes on */
    get: (tokenHash: Buffer, isOpen: boolean) => first(run<Seat>(isOpen ? seen : one, [tokenHash])),

    /** A seat that waits. */
    add: (lesson: string, seat: NewSeat, freeSign: FreeSign): Promise<{ id: string } | 'no-lesson' | 'full'> =>
      transaction((run) => addTo(run, lesson, seat, freeSign)),

    /** The seat of the pupil with this card, in the open lesson of its class. */
    addByCard: (
      cardHash: Buffer,
      seat: NewSeat,
      freeSign: FreeSign,
    ): Promise<{ id: string } | 'no-lesson' | 'full' | 'no-consent'> =>
      transaction(async (run) => {
        const [card] = await run<{ pupil: string; class: string; lesson: string }>(byCard, [cardHash])
        if (!card) return 'no-lesson'
        await run(lockPupil, [card.pupil])
        if (!(await did(run(agreedFor, [card.class, card.pupil])))) return 'no-consent'
        const added = await addTo(run, card.lesson, seat, freeSign, card.pupil)
        if (typeof added === 'object') await endBy(run, endOthers, [card.pupil, added.id])
        return added
      }),

    /** Lets seats of an open lesson in; returns how many. @param ids undefined: all that wait and are not elsewhere */
    letIn: async (run: Run, lesson: string, ids: readonly string[] | undefined): Promise<number> =>
      (await run(letIn, [lesson, ids ?? null])).length,

    /** Keeps who is at a seat. The older seat of the same pupil ends. After too many wrong names the seat ends. */
    name: (tokenHash: Buffer, who: Who): Promise<'done' | 'no-seat' | 'wrong' | 'full' | 'no-consent'> =>
      transaction(async (run) => {
        const [seat] = await run<Seat>(lock, [tokenHash])
        if (!seat?.isIn) return 'no-seat'
        if (seat.pupil !== null) return 'done'
        if (seat.newcomers) await run(lockClass, [seat.class])
        const all = await run<ClassPupil>(pupils, [seat.class])
        const found = who.whoIs(all, who.name, who.picture)
        if (found === 'wrong' || (found === 'unknown' && !seat.newcomers)) {
          await run(mistaken, [seat.id])
          return 'wrong'
        }
        if (!(await did(run(agreedFor, [seat.class, found === 'unknown' ? null : found.id])))) {
          await run(mistaken, [seat.id])
          return 'no-consent'
        }
        let pupil: string
        if (found === 'unknown') {
          if (all.length >= schools.ofClass) return 'full'
          const { name, alias } = who.newcomer(all.map((one) => one.alias))
          pupil = (await only(run<{ id: string }>(addPupil, [seat.class, name, alias, who.picture]))).id
        } else {
          pupil = found.id
          await run(choosePicture, [pupil, who.picture])
        }
        await run(setPupil, [seat.id, pupil])
        await endBy(run, endOthers, [pupil, seat.id])
        return 'done'
      }),

    /**
     * Starts a session of the lesson's game for the pupil at the seat, in place of the one before.
     * @param newName of a learner, given those of the class in the game
     */
    start: (
      tokenHash: Buffer,
      session: NewLaunchSession,
      newName: (taken: readonly string[]) => string,
    ): Promise<{ gameSlug: string } | 'no-seat' | 'no-game' | 'no-consent'> =>
      transaction(async (run) => {
        const [seat] = await run<Seat>(lock, [tokenHash])
        if (!seat || seat.pupil === null) return 'no-seat'
        const { pupil } = seat
        const game = await playedGame(run, seat.gameSlug)
        if (!game) return 'no-game'
        const learner = await playAs(run, { pupil, class: seat.class }, game, session, newName)
        return learner === undefined ? 'no-consent' : { gameSlug: seat.gameSlug }
      }),

    /** Ends a seat with its session; false: the lesson has none, or it has ended. */
    turnAway: async (run: Run, lesson: string, seat: string): Promise<boolean> =>
      (await endBy(run, endOne, [lesson, seat])) > 0,

    /** @param soon in a few seconds, unless its page is open again by then */
    leave: (tokenHash: Buffer, soon: boolean): Promise<void> =>
      soon
        ? done(run(endSoon, [tokenHash]))
        : transaction(async (run) => void (await endBy(run, endByToken, [tokenHash]))),

    /** Ends at most `limit` seats whose page was closed or asks no more; returns how many. */
    endLeft: (limit: number): Promise<number> => transaction((run) => endBy(run, endLeft, [limit])),

    /** Deletes at most `limit` seats that ended a day ago; returns how many. */
    sweep: async (limit: number): Promise<number> => (await run(sweep, [limit])).length,
  }
}

/** A sign that no other waiting seat has, given their signs. */
type FreeSign = (used: readonly number[]) => number
