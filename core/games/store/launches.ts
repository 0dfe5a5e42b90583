import { insertCredential, type NewCredential } from '../../records/store/cell/credentials.ts'
import { credentialOf, sessionCredential } from '../../records/store/cell/game-credentials.ts'
import { did, done, first, sql, type Database, type Prepared, type Run } from '../../process/database/database.ts'
import {
  addLearner,
  chooseLearner,
  playedGame,
  type Chosen,
  type LearnerChoice,
  type PlayedGame,
} from './learner-choice.ts'
import { playerOf, type PlayerSettings } from './game-pages.ts'
import type { RunningSession } from '../../records/store/cell/ended-sessions.ts'

/** A session in the player. Neither the session nor its credential has ended. */
export interface LaunchSession {
  readonly sessionId: string
  readonly gameId: string
  /** UUID of the tenant that gets its statements: the game, or the game's sandbox. */
  readonly tenantId: string
  readonly tenant: number
  /** The credential's key. */
  readonly key: string
  /** Empty: the game runs on the developer's own machine. */
  readonly buildId: string
  /** From 1 for each game; 0: not known. */
  readonly build: number
  /** When the build was uploaded: seconds since 1970; 0: there is none. */
  readonly uploaded: number
  readonly player: PlayerSettings
  readonly learnerId: string
  readonly learnerName: string
  readonly registration: string
  readonly sandbox: boolean
  /** Seconds since 1970. */
  readonly expires: number
  readonly secretHash: Buffer
  /** Keyed hash of the network that started it; null for an invited learner and for a sandbox. */
  readonly network: string | null
}

export interface Learner {
  readonly id: string
  readonly name: string
}

/** Properties of every new session. */
export type NewLaunchSession = Pick<LaunchSession, 'sessionId' | 'secretHash' | 'registration' | 'expires'>

/**
 * Who may try games: those of a studio (null: of none), as a reviewer those that wait for a decision, as the operator
 * every game.
 */
export interface Tester {
  readonly studio: number | null
  readonly reviewer: boolean
  readonly operator: boolean
}

export interface SandboxWanted extends NewLaunchSession {
  readonly tester: Tester
  readonly gameId: string
  /** UUID of a test learner; undefined: a new one. */
  readonly learnerId?: string
  /** Name of a new test learner; empty: `Test learner n`. */
  readonly learnerName: string
  /** Opens the beta, which is for the studio and the operator. */
  readonly beta: boolean
  /** Opens the live build even if there is a staged one. */
  readonly live: boolean
  /** The game runs on the developer's own machine: without a build. */
  readonly ownMachine: boolean
  /** Credential for the sandbox, if it has none. */
  readonly credential: NewCredential
}

export interface PlayWanted extends NewLaunchSession, LearnerChoice {
  /** The game's name in addresses. */
  readonly slug: string
  /** Keyed hash of the caller's network. */
  readonly network: string
}

/** A learner's session, which may have ended. */
export interface PlayedSession {
  readonly game: number
  readonly gameId: string
  readonly learnerId: string
  readonly learnerName: string
  readonly registration: string
  /** Microseconds. */
  readonly began: number
  /** Of the game: milliseconds; null: the studio has not set it. */
  readonly start: number | null
}

/** Test learners that a game may have. */
export const mostTestLearners = 100

const select = `select l.uuid as "sessionId", l.credential, g.uuid as "gameId", coalesce(b.uuid::text, '') as "buildId",
  coalesce(b.number, 0) as build, coalesce(extract(epoch from b.created), 0)::float8 as uploaded, ${playerOf} as player,
  n.uuid as "learnerId", n.name as "learnerName", l.registration, l.sandbox,
  floor(extract(epoch from l.expires))::float8 as expires, l.secret_hash as "secretHash", l.network
  from launch l join game g on g.id = l.game left join build b on b.id = l.build join learner n on n.uuid = l.learner`
/** SQL: the tester (studio $2, reviewer $3, operator $4) may try the game `g`. */
export const mayTry = `g.deleted is null and g.sandbox_of is null
  and (g.studio = $2 or $3 and g.state in ('in-review', 'update-in-review') or $4)`
const bySecret = sql('launch_by_secret')`${select} where l.secret_hash = $1`
const byStudio = sql('launch_by_studio')`${select} where l.uuid = $1 and l.sandbox and ${mayTry}`

const running = (which: string) =>
  `select uuid as id, extract(epoch from expires)::float8 as expires from launch where ${which} and expires > now()`
const runningBySecret = sql('launch_running')`${running('secret_hash = $1')}`
const runningOfLearner = sql('launch_running_of_learner')`${running('learner = $1')}`
const runningOfDevice = sql('launch_running_of_device')`${running('device = $1')}`

const playedBy = sql('launch_played')`
  select g.id as game, g.uuid as "gameId", n.uuid as "learnerId", n.name as "learnerName", l.registration,
      floor(extract(epoch from l.created) * 1e6)::float8 as began, g.start::float8 as start
    from launch l join game g on g.id = l.game join learner n on n.uuid = l.learner
    where l.secret_hash = $1 and not l.sandbox and l.expires > now() - $2 * interval '1 minute'`

const lockSandboxed = sql('launch_lock_sandboxed')`
  select id, name, case when $6 then case when g.studio = $2 or $4 then beta_build end
      when $5 then live_build else coalesce(staged_build, live_build) end as build
    from game g where uuid = $1 and ${mayTry} for update of g`
const findTenant = sql('launch_sandbox')`select id from game where sandbox_of = $1`
const addTenant = sql('launch_add_sandbox')`insert into game (name, sandbox_of) values ($1, $2) returning id`
const learners = sql('learners_of')`
  select uuid as id, name from learner where game = $1 and kind = $2 order by name, created limit 1000`
const testLearner = sql('learner_test')`select uuid as id from learner where game = $1 and uuid = $2 and kind = 'test'`
const addSession = sql('launch_add')`insert into launch
      (uuid, secret_hash, game, credential, build, learner, registration, sandbox, expires, network, device)
    values ($1, $2, $3, $4, $5, $6, $7, $8, to_timestamp($9), $10, $11)`
const learnerOf = sql('learner_of')`select from learner where uuid = $1 and game = $2 and kind not in ('test', 'beta')`
const triedGame = sql('launch_tried_game')`select id from game g where uuid = $1 and ${mayTry}`
// who played a beta by its link had this session only
const sweep = sql('launch_sweep')`with gone as (delete from launch where uuid = any (array(
      select uuid from launch where expires < now() - $1 * interval '1 second' order by expires limit $2))
      returning uuid, learner),
    forgotten as (delete from learner where kind = 'beta' and uuid in (select learner from gone))
    select uuid from gone`

export const tried = ({ studio, reviewer, operator }: Tester) => [studio, reviewer, operator]

/** Sessions in the player, and their learners. */
export function launchStore({ run, essential, transaction }: Database) {
  async function one(query: Prepared, values: unknown[]): Promise<LaunchSession | undefined> {
    const [row] = await run<Omit<LaunchSession, 'key' | 'tenant' | 'tenantId'> & { credential: number }>(query, values)
    if (!row) return undefined
    const { credential, ...session } = row
    const held = await sessionCredential(run, credential, session.sessionId)
    return held && { ...session, ...held }
  }

  return {
    /** The session with this secret, unless it has expired: one or none. */
    running: (secretHash: Buffer) => run<RunningSession>(runningBySecret, [secretHash]),

    runningOf: (learner: string): Promise<RunningSession[]> => runningSessionsOf(run, learner),

    bySecret: (secretHash: Buffer) => one(bySecret, [secretHash]),

    /** A learner's session, also when it has ended. @param minutes since its token expired, at most */
    played: (secretHash: Buffer, minutes: number) => first(run<PlayedSession>(playedBy, [secretHash, minutes])),

    /** A sandbox session of a game that the tester may try. */
    sandboxOf: (tester: Tester, sessionId: string) => one(byStudio, [sessionId, ...tried(tester)]),

    /** Whether the player has made this account for a session or an invitation of the game, not of its sandbox. */
    isLearnerOf: (game: number, learnerId: string) => did(run(learnerOf, [learnerId, game])),

    /** Undefined: the tester may try no such game. */
    async testLearners(tester: Tester, gameId: string): Promise<Learner[] | undefined> {
      const [game] = await run<{ id: number }>(triedGame, [gameId, ...tried(tester)])
      return game && (await run<Learner>(learners, [game.id, 'test']))
    },

    /**
     * Starts a session in the game's sandbox. The first session creates the sandbox; concurrent calls wait for it.
     * @param admit called when all other checks have passed; if it throws, its counts are rolled back
     */
    openSandbox: (
      wanted: SandboxWanted,
      admit: (run: Run) => Promise<void>,
    ): Promise<'done' | 'no-game' | 'no-build' | 'no-learner' | 'full'> =>
      transaction(async (run) => {
        const [game] = await run<{ id: number; name: string; build: number | null }>(lockSandboxed, [
          wanted.gameId,
          ...tried(wanted.tester),
          wanted.live,
          wanted.beta,
        ])
        if (!game) return 'no-game'
        const build = wanted.ownMachine ? null : game.build
        if (build === null && !wanted.ownMachine) return 'no-build'
        let learner = wanted.learnerId
        if (learner !== undefined) {
          if ((await run(testLearner, [game.id, learner])).length === 0) return 'no-learner'
        } else {
          const there = (await run(learners, [game.id, 'test'])).length
          if (there >= mostTestLearners) return 'full'
          const [added] = await run<{ id: string }>(addLearner, [
            game.id,
            'test',
            wanted.learnerName || `Test learner ${there + 1}`,
            null,
          ])
          learner = added!.id
        }
        await admit(run)
        const credential = await sandboxCredential(run, game, wanted.credential)
        await addLaunch(run, wanted, { game: game.id, credential, build, learner, sandbox: true })
        return 'done'
      }),

    /**
     * Starts a session of a published game; `returned`: the learner was known by its token.
     * @throws Problem at `consent`: the learner has not agreed to the text of the game
     */
    startPlay: (wanted: PlayWanted): Promise<Chosen | 'no-game' | 'no-invitation' | 'no-name'> =>
      transaction(async (run) => {
        const game = await playedGame(run, wanted.slug)
        if (!game) return 'no-game'
        const learner = await chooseLearner(run, game, wanted)
        if (typeof learner === 'string') return learner
        const network = learner.how === 'invited' ? undefined : wanted.network
        await addPlayed(run, wanted, game, { learner: learner.id, network })
        return learner
      }),

    /** Deletes at most `limit` sessions that expired that many seconds ago, with their events; returns how many. */
    sweep: async (seconds: number, limit: number): Promise<number> => (await essential(sweep, [seconds, limit])).length,
  }
}

/** Sessions of a learner that have not expired. */
export const runningSessionsOf = (run: Run, learner: string) => run<RunningSession>(runningOfLearner, [learner])

export const runningSessionsOn = (run: Run, device: string) => run<RunningSession>(runningOfDevice, [device])

export const addLaunch = (
  run: Run,
  { sessionId, secretHash, registration, expires }: NewLaunchSession,
  of: {
    game: number
    credential: number
    build: number | null
    learner: string
    sandbox: boolean
    network?: string | undefined
    device?: string | undefined
  },
) =>
  done(
    run(addSession, [
      sessionId,
      secretHash,
      of.game,
      of.credential,
      of.build,
      of.learner,
      registration,
      of.sandbox,
      expires,
      of.network ?? null,
      of.device ?? null,
    ]),
  )

/** Adds a session of a published game. */
export const addPlayed = (
  run: Run,
  session: NewLaunchSession,
  { id, credential, build }: PlayedGame,
  of: { learner: string; network?: string | undefined; device?: string },
) => addLaunch(run, session, { game: id, credential, build, sandbox: false, ...of })

/** Id of the credential of the game's sandbox, which is made if there is none. The caller holds the lock of the game. */
export async function sandboxCredential(
  run: Run,
  game: { id: number; name: string },
  credential: NewCredential,
): Promise<number> {
  const [there] = await run<{ id: number }>(findTenant, [game.id])
  const [tenant] = there ? [there] : await run<{ id: number }>(addTenant, [`${game.name} (sandbox)`, game.id])
  const { id } = tenant!
  return (await credentialOf(run, id))?.id ?? (await insertCredential(run, id, credential))!
}
