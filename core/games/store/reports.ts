import type { GameReport as GameReportMessage } from '../../../gen/lrs/v1/operator_pb.js'
import { reports as limits } from '../../../shared/catalogue.ts'
import { publicProfile } from '../../accounts/store/studio-profiles.ts'
import type { Fields } from '../../process/methods/answer.ts'
import { did, seconds, sql, type Database } from '../../process/database/database.ts'

export type GameReport = Fields<GameReportMessage>

const add = sql('report_add')`
  insert into game_report (game, reason, text) select $1, $2, $3
    where (select count(*) from (select from game_report where game = $1 and closed is null limit $4) r) < $4
    returning 1`
const list = sql('report_list')`
  select r.uuid as "reportId", g.uuid as "gameId", coalesce(g.accepted_name, g.name) as name,
      coalesce(g.slug, '') as slug, s.uuid as "studioId", ${publicProfile('name')} as "studioName", r.reason, r.text,
      ${seconds('r.reported')} as reported, ${seconds('r.closed')} as closed, r.note
    from ((select *, row_number() over (partition by game order by reported) as nth
        from (select * from game_report where closed is null order by reported limit $2) o order by nth, reported limit $1)
      union all (select *, 0 from game_report where closed is not null order by closed desc limit $1)) r
    join game g on g.id = r.game join studio s on s.id = g.studio
    order by r.closed desc nulls first, r.nth, r.reported limit $1`
const close = sql('report_close')`
  update game_report set closed = now(), note = $2 where uuid = $1 and closed is null returning 1`
const sweep = sql('report_sweep')`
  delete from game_report where uuid = any (array(select uuid from game_report
    where closed < now() - make_interval(days => $1) order by closed limit $2)) returning 1`

/** What visitors reported of games. */
export const reportStore = ({ run }: Pick<Database, 'run'>) => ({
  /** Keeps a report. False: the game has as many open ones as it may. */
  add: (game: number, reason: string, text: string) => did(run(add, [game, reason, text, limits.ofGame])),
  /** Open ones: the oldest of each game, then the second of each, and so on. Then closed ones, the last closed first. */
  list: () => run<GameReport>(list, [limits.listed, limits.looked]),
  /** False: it is closed already, or there is none. */
  close: (reportId: string, note: string) => did(run(close, [reportId, note])),
  /** Deletes at most `limit` that were closed long ago; returns how many. */
  sweep: async (limit: number): Promise<number> => (await run(sweep, [limits.keptDays, limit])).length,
})
