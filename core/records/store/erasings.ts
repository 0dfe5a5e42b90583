import { done, first, only, scalar, sql, type Database, type Run } from '../../process/database/database.ts'
import { leases, type Leased } from './leases.ts'

/** An erasure that is under way. */
export interface UnderWay<Learner> extends Leased {
  readonly id: string
  readonly learner: Learner
  /** UUID in place of the learner's name. */
  readonly pseudonym: string
  /** Games in which something was found. */
  readonly games: readonly number[]
}

const leased = leases('erasing')
const columns = 'id, learner, pseudonym, games, attempts'
const begin = sql('erasing_begin')`
  insert into erasing (learner, pseudonym, leased) values ($1, $2, now() + make_interval(secs => $3))
    returning ${columns}`
const lease = sql('erasing_lease')`${leased.take({ due: 'true', order: 't.leased' })} returning ${columns}`
const found = sql('erasing_found')`update erasing set games = games || $2::int where id = $1 and $2 <> all (games)`
const end = sql('erasing_end')`delete from erasing where id = $1 returning games`

/** Erasures that are under way: whom they erase, until they have ended. */
export function erasingStore<Learner>({ run }: Pick<Database, 'run'>) {
  type Row = UnderWay<Learner> & Record<string, unknown>
  return {
    begin: (learner: Learner, pseudonym: string, seconds: number): Promise<UnderWay<Learner>> =>
      only(run<Row>(begin, [JSON.stringify(learner), pseudonym, seconds])),
    /** Takes one whose core has ended. */
    lease: (seconds: number): Promise<UnderWay<Learner> | undefined> => first(run<Row>(lease, [seconds])),
    ...leased.on(run),
    /** Notes the game before something is erased there. */
    found: (id: string, game: number) => done(run(found, [id, game])),
    /** Forgets whom it erased. Returns the games; undefined: another core has ended it. */
    end: (on: Run, id: string) => scalar<number[] | undefined>(on(end, [id])),
  }
}
