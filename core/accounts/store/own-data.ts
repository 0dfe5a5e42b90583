import type { ErasureRequest as ErasureRequestMessage } from '../../../gen/lrs/v1/own_data_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { did, first, seconds, sql, type Database, type Run } from '../../process/database/database.ts'

/** A learner of the player who shows who it is, in its game. */
export interface OwnLearner {
  readonly learnerId: string
  readonly name: string
  /** `player` or `invited`. */
  readonly kind: string
  readonly game: number
  readonly gameId: string
  readonly gameName: string
  readonly studio: number
}

/** What a learner asked for. Times are seconds since 1970, 0: not yet. */
export type ErasureRequest = Fields<ErasureRequestMessage>

/** A request that a studio sees; the learner is gone after an erasure. */
export interface ErasureRequestOfGame extends ErasureRequest {
  readonly learnerId: string | null
  readonly name: string
}

/** One for which the time has come, or that the studio has confirmed. */
export interface DueErasure {
  readonly requestId: string
  readonly learnerId: string | null
  readonly gameId: string
}

export interface Consent {
  readonly version: string
  /** Seconds since 1970. */
  readonly agreed: number
  /** In which the learner read it; empty: not known. */
  readonly language: string
}

interface AskedErasure extends Pick<OwnLearner, 'gameId' | 'gameName' | 'studio'> {
  readonly recent: boolean
}

const own = `select l.uuid as "learnerId", l.name, l.kind, g.id as game, g.uuid as "gameId", g.name as "gameName",
    g.studio from learner l join game g on g.id = l.game`
const ofGame = `g.slug = $1 and g.deleted is null and l.kind not in ('test', 'beta')`
const byInvitation = sql('own_by_invitation')`
  ${own} join invitation i on i.learner = l.uuid where i.code_hash = $2 and i.revoked is null and ${ofGame}`
const byToken = sql('own_by_token')`${own} where l.token_hash = $2 and ${ofGame}`
const byId = sql('own_by_id')`${own} where l.uuid = $2 and ${ofGame}`

const request = `r.uuid as "requestId", ${seconds('r.asked')} as asked, ${seconds('r.due')} as due,
  ${seconds('r.decided')} as decided, coalesce(r.outcome, '') as outcome, r.reason, coalesce(r.receipt::text, '') as "receiptId"`
const latest = sql('erasure_latest')`
  select ${request} from erasure_request r where r.learner = $1 order by r.asked desc limit 1`
const ask = sql('erasure_ask')`with asked as (insert into erasure_request (game, learner, due, school)
    select game, uuid, now() + make_interval(days => $2), $3 from learner where uuid = $1
    on conflict do nothing returning game)
  select g.uuid as "gameId", g.name as "gameName", g.studio, exists (
      select from erasure_request r where r.game = g.id and r.asked > now() - interval '1 hour') as recent
    from asked join game g on g.id = asked.game`
const takeBack = sql('erasure_take_back')`update erasure_request set outcome = 'taken-back', decided = now()
    where learner = $1 and outcome is null and due > clock_timestamp() returning 1`
// from now on it cannot be taken back: on other servers data may be gone before it ends
const begin = sql('erasure_begin')`
  update erasure_request set due = least(due, clock_timestamp()) where uuid = $1 and outcome is null returning 1`
const listed = sql('erasure_list')`select ${request}, r.learner as "learnerId", coalesce(l.name, '') as name
    from erasure_request r left join learner l on l.uuid = r.learner
    where r.game = (select id from game where uuid = $1 and ($2::int is null or studio = $2) and deleted is null)
    order by r.outcome is null desc, r.asked desc limit $3`
const open = `select r.uuid as "requestId", r.learner as "learnerId", g.uuid as "gameId"
    from erasure_request r join game g on g.id = r.game`
const ofStudio = sql('erasure_of_studio')`
  ${open} where r.uuid = $1 and g.uuid = $2 and ($3::int is null or g.studio = $3) and r.outcome is null`
const refuse = sql('erasure_refuse')`update erasure_request r set outcome = 'refused', decided = now(), reason = $2
    from game g where r.uuid = $1 and g.id = r.game and outcome is null and due > clock_timestamp()
    returning r.school, g.name as "gameName"`
const due = sql('erasure_due')`${open} where r.outcome is null and r.due < now() order by r.due limit $1`
const finish = sql('erasure_finish')`update erasure_request set outcome = 'erased', decided = now(), receipt = $2
    where uuid = $1 and outcome is null returning 1`
const consents = sql('consents_of')`
  select version, language, ${seconds('agreed')} as agreed from consent c where learner = $1 order by c.agreed desc limit 100`

const mostListed = 100

/** Learners of the player who look at their own data, and what they ask for. */
export function ownDataStore({ run }: Pick<Database, 'run'>) {
  const one = (query: typeof byId, slug: string, value: unknown) => first(run<OwnLearner>(query, [slug, value]))
  return {
    byInvitation: (slug: string, codeHash: Buffer) => one(byInvitation, slug, codeHash),
    byToken: (slug: string, tokenHash: Buffer) => one(byToken, slug, tokenHash),
    byId: (slug: string, learner: string) => one(byId, slug, learner),

    /** The latest request of the learner. */
    latest: (learner: string) => first(run<ErasureRequest>(latest, [learner])),
    /** `recent`: another one of the game came within the last hour. Undefined: one of this learner waits already. */
    ask: (on: Run, learner: string, days: number, school: number | undefined) =>
      first(on<AskedErasure>(ask, [learner, days, school ?? null])),
    /** False: none waits. */
    takeBack: (learner: string) => did(run(takeBack, [learner])),
    /** Those that wait, then the others, the newest first. @param studio the one that must own the game; undefined: any */
    list: (gameId: string, studio: number | undefined) =>
      run<ErasureRequestOfGame>(listed, [gameId, studio ?? null, mostListed]),
    /** One that waits; undefined: there is none of this game. */
    waiting: (request: string, gameId: string, studio: number | undefined) =>
      first(run<DueErasure>(ofStudio, [request, gameId, studio ?? null])),
    /** Undefined: it does not wait any more. `school`: which asked; null: the learner did. */
    refuse: (on: Run, request: string, reason: string) =>
      first(on<{ school: number | null; gameName: string }>(refuse, [request, reason])),
    /** From its time on it waits for its erasure only. False: it does not wait any more. */
    begin: (request: string) => did(run(begin, [request])),
    due: (limit: number) => run<DueErasure>(due, [limit]),
    /** In the transaction of the erasure, before it: false if another core was faster, or the learner took it back. */
    finish: (on: Run, request: string, receipt: string) => did(on(finish, [request, receipt])),

    consents: (learner: string) => run<Consent>(consents, [learner]),
  }
}
