import { graceSeconds, keptBuilds, runningSeconds } from '../../../shared/limits.ts'
import type { BuildWords } from '../rules/channels.ts'
import type { KeptBuild } from '../rules/kept-builds.ts'
import type { BuildKind } from '../rules/upload-kinds.ts'
import { done, only, scalar, sql, type Database, type Run } from '../../process/database/database.ts'

export interface NewBuild extends Partial<Omit<BuildWords, 'channel'>> {
  readonly buildId: string
  readonly game: number
  readonly kind: BuildKind
  readonly fileName: string
  readonly size: number
  readonly files: number
  readonly expanded: number
}

/** SQL: storage prefix of a build, from its columns `kind` and `uuid`. */
export const keyOfBuild = `case kind when 'browser' then 'builds/' else 'packages/' end || uuid || '/'`

const insert = sql('build_insert')`
  insert into build (uuid, game, kind, file_name, size, files, expanded, version, notes, sha256, number)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 1 + coalesce((
      select number from build where game = $2 and number is not null order by number desc limit 1), 0))
    returning id`
const stage = sql('game_stage')`update game set staged_build = $2, state = $3, updated = now() where id = $1`
const setBeta = sql('game_set_beta')`update game set beta_build = $2, updated = now() where id = $1`
const stageBeta = sql('game_stage_beta')`
  update game set staged_build = beta_build, beta_build = null, state = $2, updated = now() where id = $1`
/**
 * Removes a build. The files of a desktop build go after `$2` seconds of grace, those of a browser build after `$3`,
 * because sessions may use them.
 */
export const replaceBuild = sql('build_replace')`with replaced as (
      update build set removed = case kind when 'browser' then now() end,
        grace_until = case kind when 'desktop' then now() + make_interval(secs => $2) end
      where id = $1 and removed is null returning uuid, kind)
    insert into garbage (key, due)
      select ${keyOfBuild},
        now() + make_interval(secs => case kind when 'browser' then $3 else $2 end) from replaced
    on conflict (key) do update set due = excluded.due`
/**
 * Keeps a replaced live build for a rollback. A replaced desktop build can be downloaded for some days, too. The clock is
 * read under the lock of the game, so that the times of replaced builds have their order.
 */
const keep = sql('build_keep')`with replaced as (
      update build set kept_until = clock_timestamp() + make_interval(days => $2),
        grace_until = case kind when 'desktop' then now() + make_interval(secs => $3) end
      where id = $1 and removed is null returning uuid, kind, kept_until)
    insert into garbage (key, due) select ${keyOfBuild}, kept_until from replaced
    on conflict (key) do update set due = excluded.due`
/** Keeps the last `$2` replaced builds only. Sessions may still run the others, for `$3` seconds. */
const keepLast = sql('build_keep_last')`with gone as (
      update build set kept_until = now(), removed = case kind when 'browser' then now() end where id = any (array(
        select id from build where game = $1 and removed is null and kept_until > now()
        order by kept_until desc, id desc offset $2))
      returning uuid, kind, grace_until)
    insert into garbage (key, due)
      select ${keyOfBuild},
        greatest(grace_until, now() + make_interval(secs => case kind when 'browser' then $3 else 0 end)) from gone
    on conflict (key) do update set due = excluded.due`
const kept = sql('build_kept')`select id, uuid as "buildId", number, kind, ${keyOfBuild} as key from build
    where game = $1 and removed is null and kept_until > now() order by kept_until desc, id desc`
const find = sql('build_find')`select id, uuid as "buildId", coalesce(number, 0) as number from build where id = $1`
const restore = sql('build_restore')`update build set kept_until = null, grace_until = null where id = $1`
const used = sql('build_storage_used')`select
    (select coalesce(sum(b.size), 0) from build b join game g on g.id = b.game
      where g.studio = $1 and g.deleted is null and b.removed is null
        and (b.grace_until is null and b.kept_until is null or b.grace_until > now()))::float8 as builds,
    (select coalesce(sum(size), 0) from upload
      where studio = $1 and kind in ('browser-build', 'desktop-build')
        and (expires > now() or leased > now()))::float8 as reserved`

const unpacked = sql('build_unpacked')`
  select coalesce(sum(b.expanded), 0)::float8 as bytes from build b join game g on g.id = b.game
    where g.studio = $1 and g.deleted is null and b.removed is null and b.kept_until is null and b.kind = 'browser'`

/** Builds of games. A caller that writes holds the locks of the studio and the game. */
export function buildStore({ run }: Database) {
  async function add(
    on: Run,
    { buildId, game, kind, fileName, size, files, expanded, version = '', notes = '', sha256 = '' }: NewBuild,
  ): Promise<number> {
    const of = [buildId, game, kind, fileName, size, files, expanded, version, notes, sha256]
    return (await on<{ id: number }>(insert, of))[0]!.id
  }

  return {
    /** Adds a build and stages it. @param before the staged build that it replaces */
    async stage(on: Run, build: NewBuild, state: string, before: number | null): Promise<void> {
      await on(stage, [build.game, await add(on, build), state])
      if (before !== null) await on(replaceBuild, [before, graceSeconds, 0])
    },

    /** Adds a build as the beta. Members may be playing the one that it replaces. */
    async setBeta(on: Run, build: NewBuild, before: number | null): Promise<void> {
      await on(setBeta, [build.game, await add(on, build)])
      if (before !== null) await on(replaceBuild, [before, 0, runningSeconds])
    },

    /** Stages the beta. @param before the staged build that it replaces */
    async stageBeta(on: Run, game: number, state: string, before: number | null): Promise<void> {
      await on(stageBeta, [game, state])
      if (before !== null) await on(replaceBuild, [before, graceSeconds, 0])
    },

    /** Keeps a live build that was replaced just now, and the last ones before it. */
    async keep(on: Run, game: number, replaced: number): Promise<void> {
      await on(keep, [replaced, keptBuilds.days, graceSeconds])
      await on(keepLast, [game, keptBuilds.ofGame, runningSeconds])
    },

    /** Replaced builds that can become live again, the last replaced one first, with their keys in storage. */
    kept: (on: Run, game: number): Promise<(KeptBuild & { key: string })[]> =>
      on<KeptBuild & { key: string }>(kept, [game]),

    find: (on: Run, build: number) => only(on<KeptBuild>(find, [build])),

    /** A kept build is in use again; its key has to be taken off the list of garbage. */
    restore: (on: Run, build: number) => done(on(restore, [build])),

    /** Bytes of the unpacked files of the studio's browser builds, live and staged. */
    unpacked: (studio: number, on: Run = run) => scalar<number>(on(unpacked, [studio])),

    /** Bytes that count for the quota: of builds (live, staged, in grace), and of uploads of builds. */
    storageUsed: (studio: number, on: Run = run) => only(on<{ builds: number; reserved: number }>(used, [studio])),
  }
}
