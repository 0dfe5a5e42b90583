import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Game } from './support/games.ts'
import { startProcesses, type Processes } from './support/processes.ts'
import { player, statement } from './support/statements.ts'
import { addStudio } from './support/studios.ts'
import { tokens } from './support/system.ts'
import { basic } from './support/xapi.ts'

let processes: Processes
let game: Game
beforeAll(async () => {
  processes = await startProcesses({ env: { LRS_LOG_LEVEL: 'debug' } })
  game = await processes.game()
})
afterAll(() => processes.close())

/** Every row of every table, as text. */
async function everything(): Promise<string> {
  const tables = await processes.database.sql<{ name: string }>(`select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`)
  const all = await Promise.all(tables.map(async ({ name }) => (await processes.database.sql<{ row: string }>(`select t::text as row from ${name} t`)).map(({ row }) => row).join('\n')))
  return all.join('\n')
}

test('no secret, session or token stands in logs at their most talkative, in the database or in a refusal', async () => {
  const launch = await game.launch(player('ann'))
  const studio = await addStudio(processes, 'Secret')
  const password = 'correct horse battery staple 7b'
  const replies = [
    await game.xapi().post(statement()),
    await game.xapi().as(launch).post(statement()),
    await game.xapi().as(basic(game.key, `${game.secret}x`)).get(),
    await game.xapi().as(`${launch}x`).get(),
    await game.xapi().as(launch).get({ agent: player('ben') }),
    await game.xapi().post('[{"broken":'),
    await game.xapi().get({ nonsense: game.secret.slice(0, 5) }),
  ]
  await studio.on().accounts.getAccount({})
  await studio.on().accounts.signIn({ email: studio.email, password, senderIp: '192.0.2.1' }).catch(() => undefined)
  await game.rpc().statements.queryStatements({ limit: 1 })
  await processes.database.sql(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'games-lrs core' and datname = current_database()`)
  await game.xapi().get({ limit: 1 })

  const secrets = { secret: game.secret, authorization: game.authorization.slice(6), launch: launch.slice(7), session: studio.session, password, ...tokens }
  const places = { logs: processes.output(), database: await everything(), refusals: replies.map(({ text }) => text).join('\n') }
  expect(places.logs).toContain('answered')
  expect(places.database).toContain(game.key)
  for (const [what, secret] of Object.entries(secrets)) {
    for (const [where, text] of Object.entries(places)) expect(text.includes(secret), `${what} in ${where}`).toBe(false)
  }
})
