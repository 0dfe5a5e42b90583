import { graceSeconds } from '../../../shared/limits.ts'
import type { BuildKind } from '../../studio/upload-kinds.ts'
import type { Database } from '../database.ts'

export interface NewBuild {
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

const insert = {
  name: 'build_insert',
  text: `insert into build (uuid, game, kind, file_name, size, files, expanded, number)
    values ($1, $2, $3, $4, $5, $6, $7, 1 + coalesce((
      select number from build where game = $2 and number is not null order by number desc limit 1), 0))
    returning id`,
}
const stage = {
  name: 'game_stage',
  text: 'update game set staged_build = $2, state = $3, updated = now() where id = $1',
}
/**
 * Removes a build. The files of a desktop build go after `$2` seconds of grace, those of a browser build after `$3`,
 * because sessions may use them.
 */
export const replaceBuild = {
  name: 'build_replace',
  text: `with replaced as (
      update build set removed = case kind when 'browser' then now() end,
        grace_until = case kind when 'desktop' then now() + make_interval(secs => $2) end
      where id = $1 and removed is null returning uuid, kind)
    insert into garbage (key, due)
      select ${keyOfBuild},
        now() + make_interval(secs => case kind when 'browser' then $3 else $2 end) from replaced
    on conflict (key) do update set due = excluded.due`,
}
const used = {
  name: 'build_storage_used',
  text: `select
    (select coalesce(sum(b.size), 0) from build b join game g on g.id = b.game
      where g.studio = $1 and g.deleted is null and b.removed is null
        and (b.grace_until is null or b.grace_until > now()))::float8 as builds,
    (select coalesce(sum(size), 0) from upload
      where studio = $1 and kind in ('browser-build', 'desktop-build')
        and (expires > now() or claimed > now() - make_interval(secs => $2)))::float8 as reserved`,
}

const unpacked = {
  name: 'build_unpacked',
  text: `select coalesce(sum(b.expanded), 0)::float8 as bytes from build b join game g on g.id = b.game
    where g.studio = $1 and g.deleted is null and b.removed is null and b.kind = 'browser'`,
}

/** Seconds for which a finalization holds an upload without renewing its claim. */
export const leaseSeconds = 60

/** Builds of games. A caller that writes holds the locks of the studio and the game. */
export function buildStore({ run }: Database) {
  return {
    /** Adds a build and stages it. @param before the staged build that it replaces */
    async stage(
      on: Database['run'],
      { buildId, game, kind, fileName, size, files, expanded }: NewBuild,
      state: string,
      before: number | null,
    ): Promise<void> {
      const [row] = await on<{ id: number }>(insert, [buildId, game, kind, fileName, size, files, expanded])
      await on(stage, [game, row!.id, state])
      if (before !== null) await on(replaceBuild, [before, graceSeconds, 0])
    },

    /** Bytes of the unpacked files of the studio's browser builds, live and staged. */
    unpacked: async (studio: number, on: Database['run'] = run): Promise<number> =>
      (await on<{ bytes: number }>(unpacked, [studio]))[0]!.bytes,

    /** Bytes that count for the quota: of builds (live, staged, in grace), and of uploads of builds. */
    storageUsed: async (studio: number, on: Database['run'] = run): Promise<{ builds: number; reserved: number }> =>
      (await on<{ builds: number; reserved: number }>(used, [studio, leaseSeconds]))[0]!,
  }
}
