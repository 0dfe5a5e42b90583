import type { Part } from './parts.ts'

const atOnce = 5_000

const sessions = {
  name: 'copy_sessions',
  text: `select jsonb_agg(to_jsonb(s))::text as rows, max(s.registration::text) as last from (
      select * from session_build where game = $1 and registration > $2::uuid
      order by game, registration limit ${atOnce}) s`,
}
const builds = {
  name: 'copy_builds',
  text: `select jsonb_agg(to_jsonb(b))::text as rows from tally_build b where game = $1`,
}
const write = (table: string) => ({
  name: `copy_write_${table}`,
  text: `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1::jsonb) on conflict do nothing`,
})
const [writeSessions, writeBuilds] = [write('session_build'), write('tally_build')]

/** Copies what launches told the server of a game's cell: it does not follow from statements. */
export async function copyTold(from: Part, to: Part, game: number): Promise<void> {
  const [known] = await from.database.run<{ rows: string | null }>(builds, [game])
  if (known!.rows !== null) await to.database.run(writeBuilds, [known!.rows])
  for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
    const [page] = await from.database.run<{ rows: string | null; last: string }>(sessions, [game, after])
    if (page!.rows === null) return
    await to.database.run(writeSessions, [page!.rows])
    after = page!.last
  }
}
