import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Reason } from '../gen/lrs/v1/failure_pb.js'
import { reasons, rowOf } from './reasons.ts'

const contract = readFileSync(new URL('../proto/lrs/v1/failure.proto', import.meta.url), 'utf8')
const documented = [...contract.matchAll(/HTTP (\d{3}), RPC (\w+)\.\n +REASON_(\w+) = (\d+);/g)]

test.each(
  documented.map(([, status, rpc, name, number]) => ({ name, reason: Number(number), status: Number(status), rpc })),
)('$name has the status and code that the contract documents', ({ reason, ...row }) => {
  expect(rowOf(reason)).toMatchObject({ status: row.status, rpc: row.rpc })
})

test('each reason of the contract has one row, an unknown one that of an internal error', () => {
  const inContract = Object.values(Reason).filter((value) => typeof value === 'number')
  expect(Object.values(reasons).map(({ reason }) => reason)).toEqual(inContract)
  expect(documented).toHaveLength(inContract.length - 1)
  expect(rowOf(99 as Reason)).toBe(reasons.unspecified)
})
