import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLaunches, type Launches } from '../support/launches.ts'
import { player, statement } from '../support/statements.ts'

let launches: Launches
beforeAll(async () => {
  launches = await startLaunches({ tenancy: 'isolated' })
})
afterAll(() => launches.system.close())

/** What the export of a learner says first. */
async function learnerIn(studio: Launches['fox'], gameId: string, agent: string) {
  for await (const { held } of studio.on().learners.exportGameLearner({ gameId, agent }))
    if (held!.part.case === 'learner') return held!.part.value
  return undefined
}
const nameOf = (person: Uint8Array | undefined) => JSON.parse(Buffer.from(person!).toString()).name

test('with LRS_TENANCY=isolated an export has no names that other games tell', async () => {
  const { system, owl, publish } = launches
  const other = await system.game()
  const own = await publish(owl)
  const ann = player('ann-of-another-school')
  await other.xapi().post(statement({ actor: { ...ann, name: 'Ann Secret' } }))
  const told = await learnerIn(owl, own.id, JSON.stringify(ann))
  expect(nameOf(told?.person)).toEqual([])
})

test('an export has no account and no consent of a learner of another studio', async () => {
  const { owl, publish, play } = launches
  const own = await publish(owl)
  const { launch } = await play({ learnerName: 'Ben Secret' })
  const told = await learnerIn(owl, own.id, launch!.actor)
  expect(told?.account).toBeUndefined()
  expect(nameOf(told?.person)).toEqual([])
})
