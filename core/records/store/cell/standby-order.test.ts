import { expect, test } from 'vitest'
import { NoStandby, standbyOrder } from './standby-order.ts'

/** @param shown numbers of the order in the answers of the standby, one after the other */
function orderOf(shown: number[], standby = true) {
  const answers = shown.map((last) => [{ last: String(last), standby, erased: '0' }])
  return standbyOrder({ run: async <Row>() => answers.shift() as Row[] })
}

test.each<{ shown: number[]; idle?: number; through: number; why: string }>([
  { shown: [10], through: 0, why: 'the statements of the last number may not be committed' },
  { shown: [10, 10], through: 0, why: 'still not' },
  { shown: [10, 30], through: 10, why: 'the next writer has begun' },
  { shown: [10, 30, 20], through: 10, why: 'an answer was late' },
  { shown: [10, 30, 20, 40], through: 30, why: 'an answer was late' },
  { shown: [10], idle: 10, through: 10, why: 'nobody wrote when it was set' },
  { shown: [30], idle: 10, through: 10, why: 'nobody wrote when it was set' },
  { shown: [10], idle: 20, through: 0, why: 'it is not there yet' },
])('a standby that has shown $shown is complete up to $through: $why', async ({ shown, idle, through }) => {
  const order = orderOf(shown)
  if (idle !== undefined) order.idleAt(idle)
  for (const _ of shown) await order.ask()
  expect(await order.read()).toBe(through)
})

test('a server that takes writes is no standby', () => expect(orderOf([1], false).ask()).rejects.toThrow(NoStandby))
