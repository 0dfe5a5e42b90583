import type { Life, State } from '../rules/lifecycle.ts'
import { freeSlug } from '../../process/rules/slug.ts'
import { keyOfBuild } from './builds.ts'
import { done, first, only, scalar, sql, type Run } from '../../process/database/database.ts'

/** A game of a studio, as commands need it. */
export interface GameRow {
  readonly id: number
  /** UUID. */
  readonly gameId: string
  readonly studio: number
  readonly name: string
  readonly slug: string
  readonly summary: string
  readonly state: State
  /** Id of the live build. */
  readonly live: number | null
  /** Id of the staged build. */
  readonly staged: number | null
  /** Id of the beta build. */
  readonly beta: number | null
  /** Counts the changes of the page. */
  readonly page: number
  /** Its studio's changes need no review. */
  readonly trusted: boolean
}

export const lifeOf = ({ state, live, staged }: Pick<GameRow, 'state' | 'live' | 'staged'>): Life => ({
  state,
  live: live !== null,
  staged: staged !== null,
})

const lockStudio = sql('studio_lock')`select quotas from studio where id = $1 for update`
const lockStudioOf = sql('studio_lock_of_game')`
  select id from studio where id = (select studio from game where uuid = $1) for update`
const countGames = sql('game_count')`select count(*)::int as games from game where studio = $1 and deleted is null`
const lockGame = sql('game_lock')`
  select id, uuid as "gameId", studio, name, slug, summary, state, live_build as live, staged_build as staged,
      beta_build as beta, page, (select s.trusted from studio s where s.id = game.studio) as trusted
    from game where uuid = $1 and ($2::int is null or studio = $2) and studio is not null and deleted is null
    for update`
// one transaction at a time chooses a slug, so that two games of the same name do not collide
const lockSlugs = sql('game_lock_slugs')`select pg_advisory_xact_lock(2026, 2)`
const takenSlugs = sql('game_slugs')`
  select slug from game where (slug = $1 or starts_with(slug, $1 || '-')) and id is distinct from $2`
const addGame = sql('game_add')`insert into game (name) values ($1) returning id, uuid as "gameId"`
const insertGame = sql('game_insert')`
  insert into game (studio, name, slug, state) values ($1, $2, $3, 'draft') returning uuid as "gameId"`
const moveGame = sql('game_move')`update game set state = $2, updated = now() where id = $1`
const publishGame = sql('game_publish')`
  update game set state = $2, live_build = $3, staged_build = nullif(staged_build, $3),
      published = coalesce(published, now()), updated = now()
    where id = $1`
const setLive = sql('game_set_live')`update game set live_build = $2, updated = now() where id = $1`
const endGame = sql('game_end')`
  update game set deleted = now(), updated = now(), slug = null, live_build = null, staged_build = null,
      beta_build = null
    where id = $1`
const endForwards = sql('game_end_forwards')`delete from forward where game = $1`
const endFiles = sql('game_end_files')`with gone as (delete from game_file where game = $1 returning storage_key),
      builds as (update build set removed = now() where game = $1 and removed is null returning uuid, kind),
      uploads as (delete from upload where game = $1 returning uuid)
    insert into garbage (key, due)
      select storage_key, now() from gone
      union select ${keyOfBuild}, now() from builds
      union select 'uploads/' || uuid, now() from uploads
    on conflict (key) do update set due = least(garbage.due, excluded.due)`

/** Changes of games inside a transaction. Locks are taken in this order: studio, game, others. */
export function gameStore() {
  return {
    /** Locks the studio, and with it all that counts for its quotas; returns the quotas that an admin changed. */
    async lockStudio(run: Run, studio: number): Promise<Record<string, unknown>> {
      const [row] = await run<{ quotas: Record<string, unknown> }>(lockStudio, [studio])
      return row?.quotas ?? {}
    },

    lockStudioOf: (run: Run, gameId: string) => done(run(lockStudioOf, [gameId])),

    count: (run: Run, studio: number) => scalar<number>(run(countGames, [studio])),

    /** Locks a game. @param studio the studio that must own it; null: any */
    lock: (run: Run, gameId: string, studio: number | null) => first(run<GameRow>(lockGame, [gameId, studio])),

    /** A slug that no other game has or gets before this transaction ends. @param game whose own slug does not count */
    async chooseSlug(run: Run, slug: string, game: number | null = null): Promise<string> {
      await run(lockSlugs, [])
      const rows = await run<{ slug: string }>(takenSlugs, [slug, game])
      return freeSlug(slug, new Set(rows.map(({ slug }) => slug)))
    },

    /** A game without a studio. */
    add: (run: Run, name: string) => only(run<{ id: number; gameId: string }>(addGame, [name])),

    /** Returns the game's id (UUID). */
    insert: (run: Run, studio: number, name: string, slug: string) =>
      scalar<string>(run(insertGame, [studio, name, slug])),

    move: (run: Run, game: number, state: State) => done(run(moveGame, [game, state])),

    /** Makes the build the live one. */
    publish: (run: Run, game: number, state: State, build: number) => done(run(publishGame, [game, state, build])),

    /** The same for a build that was live before, in whatever state the game is. */
    setLive: (run: Run, game: number, build: number) => done(run(setLive, [game, build])),

    /** Deletes a game. Its row stays, without a slug; its files become garbage. */
    async end(run: Run, game: number): Promise<void> {
      await run(endGame, [game])
      await run(endFiles, [game])
      await run(endForwards, [game])
    },
  }
}
