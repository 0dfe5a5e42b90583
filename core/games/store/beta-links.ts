import { isPlayable, type State } from '../rules/lifecycle.ts'
import { endSessions, type RunningSession } from '../../records/store/cell/ended-sessions.ts'
import type { NewCredential } from '../../records/store/cell/credentials.ts'
import { sql, type Database, type Run } from '../../process/database/database.ts'
import { addLaunch, sandboxCredential, type NewLaunchSession } from './launches.ts'
import { addLearner } from './learner-choice.ts'

export interface BetaWanted extends NewLaunchSession {
  /** SHA-256 of the link's code. */
  readonly link: Buffer
  readonly learnerName: string
  /** Credential for the sandbox, if it has none. */
  readonly credential: NewCredential
}

const setLink = sql('beta_link_set')`
  update game set beta_link = $2, beta_linked = case when $2::bytea is not null then now() end where id = $1`
const running = sql('beta_link_running')`select l.uuid as id, extract(epoch from l.expires)::float8 as expires
    from launch l join learner n on n.uuid = l.learner
    where n.game = $1 and n.kind = 'beta' and l.expires > now()`
const lockLinked = sql('beta_link_lock_game')`select id, name, beta_build as build, state from game
    where beta_link = $1 and studio is not null and deleted is null
      and not exists (select from studio s where s.id = game.studio and s.suspended is not null) for update`

/** Links by which people who are no members play the beta of a game. */
export function betaLinkStore({ transaction }: Database) {
  return {
    /** Replaces the link of a locked game, and ends the sessions of the one before. @param link null: there is none */
    async set(run: Run, game: number, link: Buffer | null): Promise<void> {
      await run(setLink, [game, link])
      await endSessions(run, await run<RunningSession>(running, [game]))
    },

    /**
     * Starts a session of the beta in the game's sandbox, for a new learner.
     * @param admit called when all other checks have passed; if it throws, its counts are rolled back
     */
    start: (wanted: BetaWanted, admit: (run: Run) => Promise<void>): Promise<'done' | 'no-link' | 'no-build'> =>
      transaction(async (run) => {
        const [game] = await run<{ id: number; name: string; build: number | null; state: State }>(lockLinked, [
          wanted.link,
        ])
        if (!game || !isPlayable(game.state)) return 'no-link'
        const { id, build } = game
        if (build === null) return 'no-build'
        await admit(run)
        // of a kind of its own: the studio's own test learners stay apart, and it goes with its session
        const [learner] = await run<{ id: string }>(addLearner, [id, 'beta', wanted.learnerName, null])
        const credential = await sandboxCredential(run, game, wanted.credential)
        await addLaunch(run, wanted, { game: id, credential, build, learner: learner!.id, sandbox: true })
        return 'done'
      }),
  }
}
