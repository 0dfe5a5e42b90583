import { isPlayable, states } from '../rules/lifecycle.ts'
import { arrayLiteral, scalar, sql, type Database } from '../../process/database/database.ts'
import { isHeld } from '../../accounts/store/held-builds.ts'
import { mayTry, tried, type Tester } from './launches.ts'

const inPublic = states
  .filter(isPlayable)
  .map((state) => `'${state}'`)
  .join(', ')

/** Live builds of public games. A replaced desktop build can be downloaded for some days, too. */
const openBuilds = sql('files_open_builds')`
  select b.uuid as id from build b join game g on g.id = b.game join studio s on s.id = g.studio
    where b.uuid = any ($1::uuid[]) and b.removed is null and g.deleted is null and g.published is not null
      and g.state in (${inPublic}) and s.suspended is null
      and (g.live_build = b.id or b.kind = 'desktop' and b.kept_until is not null and b.grace_until > now())`
/** Sessions that have not expired, and builds that testers download. */
const openSigned = sql('files_open_signed')`with asked as (select unnest($1::uuid[]) as id),
    of as (
      select l.uuid as id, l.game from launch l join asked on asked.id = l.uuid where l.expires > now()
      union all select b.uuid, b.game from build b join asked on asked.id = b.uuid where ${isHeld})
    select of.id from of join game g on g.id = of.game left join studio s on s.id = g.studio
    where g.deleted is null and s.suspended is null`
const download = sql('files_download')`
  select b.file_name from build b join game g on g.id = b.game
    left join studio s on s.id = g.studio
    where b.uuid = $1 and b.kind = 'desktop' and ${isHeld} and ${mayTry} and s.suspended is null`

/** Which files the player may serve. */
export function openFileStore({ run }: Database) {
  const idsOf = async (query: typeof openBuilds, ids: readonly string[]): Promise<string[]> =>
    ids.length === 0 ? [] : (await run<{ id: string }>(query, [arrayLiteral(ids)])).map(({ id }) => id)

  return {
    /** Which of the builds everybody may load. */
    builds: (ids: readonly string[]): Promise<string[]> => idsOf(openBuilds, ids),

    /** Which of the sessions and builds have valid signed paths, including sessions that ended early. */
    signed: (ids: readonly string[]): Promise<string[]> => idsOf(openSigned, ids),

    /** The file name of a package that the tester may download; undefined: there is none. */
    download: (tester: Tester, buildId: string) =>
      scalar<string | undefined>(run(download, [buildId, ...tried(tester)])),
  }
}
