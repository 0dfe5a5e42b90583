import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProcesses, type Processes } from './support/processes.ts'
import { connectionTo } from './support/database.ts'
import { player, statement } from './support/statements.ts'
import type { Game } from './support/games.ts'
import { tokens } from './support/system.ts'
import { bearer } from './support/xapi.ts'

let processes: Processes
let game: Game
let other: Game
beforeAll(async () => {
  processes = await startProcesses({ cores: 2 })
  game = await processes.game()
  other = await processes.game()
})
afterAll(() => processes.close())

const store = async (one: Game, core: number, list: object[]) =>
  (await one.rpc(core).statements.storeStatements({ json: Buffer.from(JSON.stringify(list)) })).ids
const count = async (where: string) =>
  (await processes.database.sql<{ n: number }>(`select count(*)::int as n from ${where}`))[0]!.n

/** Stores 500 statements of the learner, and 250 of others that name it. */
async function played(name: string) {
  const ann = { ...player(name), name: 'Nonesuch' }
  for (let n = 0; n < 2; n++)
    await store(
      game,
      0,
      Array.from({ length: 250 }, () => statement({ actor: ann })),
    )
  await store(
    game,
    0,
    Array.from({ length: 250 }, () => statement({ context: { instructor: ann } })),
  )
  return JSON.stringify(player(name))
}

const step = `create function step() returns trigger language plpgsql as $$ begin
    insert into step select txid_current(), count(*) from gone; return null; end $$;
  create table step (transaction bigint, rows int);
  create trigger step after delete on statement referencing old table as gone for each statement execute function step()`

test('an erasure removes at most 200 statements while writers wait; its preview nothing', async () => {
  const agent = await played('in-steps')
  await processes.database.sql(step)
  const { admin } = processes.connections[1]!.as(bearer(tokens.admin))
  const preview = await admin.eraseLearner({ agent, preview: true })
  expect(await count('step')).toBe(0)
  expect(preview).toMatchObject({ statements: 500n, pseudonymised: 250n })
  const receipt = await admin.eraseLearner({ agent })
  expect({ ...receipt, receiptId: '', erased: 0n }).toEqual({ ...preview, receiptId: '', erased: 0n })
  const steps = await processes.database.sql<{ rows: number }>(
    'select sum(rows)::int as rows from step group by transaction having sum(rows) > 0',
  )
  expect(steps.reduce((sum, { rows }) => sum + rows, 0)).toBe(500)
  expect(Math.max(...steps.map(({ rows }) => rows))).toBeLessThanOrEqual(200)
})

test('what was told is written and committed before writers wait, so that none of them and the erasure wait in a circle', async () => {
  const [{ base }] = (await processes.database.sql<{ base: string }>(
    `insert into telling values ((extract(epoch from now()) * 1000000)::bigint, 16, null, '"Ann"', '{}', '{}', '{}', '{}',
      '{}', '{1}', array[gen_random_uuid()], array[gen_random_uuid()], '{0}', '{5}') returning base`,
  )) as [{ base: string }]
  const writer = await connectionTo(processes.database.url)
  await writer.query('begin; select pg_advisory_xact_lock(2026, order_lock(1))')
  const { admin } = processes.connections[1]!.as(bearer(tokens.admin))
  const erased = admin.eraseLearner({ agent: JSON.stringify(player('told-of')) })
  await expect.poll(() => count(`telling where base = ${base}`), { timeout: 3_000 }).toBe(0)
  await writer.query('commit')
  await writer.end()
  await erased
})

test('kill -9 in the middle: others write meanwhile, and another core goes on to the end', async () => {
  const agent = await played('killed-half-way')
  const [{ stored }] = (await processes.database.sql<{ stored: string }>(
    "select stored from statement where body like '%killed-half-way%' order by stored offset 300 limit 1",
  )) as [{ stored: string }]
  // the second step waits for this row
  const holding = await connectionTo(processes.database.url)
  await holding.query(`begin; select from statement where stored = ${stored} for update`)
  const { admin } = processes.connections[0]!.as(bearer(tokens.admin))
  const lost = admin.eraseLearner({ agent }).catch(() => 'lost')
  const left = () => count("statement where body like '%killed-half-way%'")
  await expect.poll(left, { timeout: 20_000 }).toBeLessThanOrEqual(550)
  await processes.killCore(0)
  expect(await lost).toBe('lost')
  await holding.end()
  expect(await left()).toBeGreaterThan(0)
  expect(await store(other, 1, [statement()])).toHaveLength(1)
  expect(await count('erasing')).toBe(1)
  // its core is given up after a minute
  await processes.database.sql("update erasing set leased = now() - interval '1 s'")
  await expect.poll(() => count('erasing'), { timeout: 60_000, interval: 500 }).toBe(0)
  expect(await left()).toBe(0)
  expect(await count("agent_name where name like '%Nonesuch%'")).toBe(0)
  expect(await count("statement where body like '%/erased%'")).toBe(500)
})
