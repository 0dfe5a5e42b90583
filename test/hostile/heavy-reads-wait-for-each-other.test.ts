import { afterAll, beforeAll, expect, test } from 'vitest'
import { besides, expectBearable } from '../support/crowd.ts'
import type { Game } from '../support/games.ts'
import { startProcesses, type Processes } from '../support/processes.ts'
import { activity, player, statement } from '../support/statements.ts'
import { bestOfThree } from '../support/cost.ts'

let processes: Processes
let heavy: Game
let victim: Game
beforeAll(async () => {
  processes = await startProcesses()
  heavy = await processes.game()
  victim = await processes.game()
  await victim.xapi().post(statement())
  const words = Object.fromEntries(
    Array.from({ length: 120 }, (_, n) => [`x-a${n.toString(36)}`, `some text of a game ${n}`]),
  )
  const object = { ...activity('many-languages'), definition: { name: words, description: words } }
  const half = () => Array.from({ length: 250 }, () => statement({ object }))
  for (const part of [half(), half()])
    if ((await heavy.xapi().post(part)).status !== 200) throw new Error('there is nothing to read')
})
afterAll(() => processes.close())

/** 500 statements of 7.2 KB, 3.6 MB in all. */
const page = (authorization: string) => ({
  url: `${processes.urls[0]}/xapi/statements?limit=500&format=canonical`,
  method: 'GET',
  headers: { authorization, 'x-experience-api-version': '1.0.3' },
})

const whole = { ...bestOfThree, tags: 'long' }
test('20 readers of canonical pages of 3.6 MB: another game is answered beside them', whole, async () => {
  const told = await besides(20, page(heavy.authorization), () => victim.xapi().get({ limit: 1 }))
  expectBearable(told)
  expect(told.statuses).toContain(200)
})

test('one learner with 20 such readers: the rest of the game is answered beside them', bestOfThree, async () => {
  const told = await besides(20, page(await heavy.launch(player('ann'))), () => heavy.xapi().get({ limit: 1 }))
  expectBearable(told)
  expect(told.statuses).toContain(200)
})
