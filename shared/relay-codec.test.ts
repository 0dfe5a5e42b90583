import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { Reason } from '../gen/lrs/v1/failure_pb.js'
import { ExchangeResponseSchema, RelayReplySchema, type RelayReply } from '../gen/lrs/v1/relay_pb.js'
import { responseOf } from './relay-codec.ts'

const page = (
  id: number,
  length: number,
  next = '',
  attachments: { sha2: string; contentType: string; size: bigint }[] = [],
) =>
  create(RelayReplySchema, {
    id,
    result: {
      case: 'queryStatements',
      value: { jsonRun: Buffer.alloc(length, 'x'), next, consistentThrough: 1_763_700_000_000_000n, attachments },
    },
  })
const other = create(RelayReplySchema, { id: 9, result: { case: 'storeStatements', value: { ids: ['a', 'b'] } } })
const failure = create(RelayReplySchema, {
  id: 10,
  result: { case: 'failure', value: { reason: Reason.NOT_FOUND, message: 'no ä' } },
})
const separate = create(RelayReplySchema, {
  id: 11,
  result: { case: 'queryStatements', value: { json: [Buffer.from('{}'), Buffer.from('{}')], next: '5' } },
})

const lengths = [0, 1, 100, 116, 117, 127, 128, 16_383, 16_384, 70_000, 2_097_151, 2_097_152, 3_000_000]
const cases: [string, RelayReply[]][] = [
  ['nothing', []],
  ['replies of other kinds', [other, failure, separate]],
  [
    'several pages between others',
    [page(0, 5), other, page(4_294_967_295, 70_000, '1763700000000001'), failure, page(2, 0, 'x')],
  ],
  ['a page with attachments', [page(7, 300, '', [{ sha2: 'ab'.repeat(32), contentType: 'text/plain', size: 12n }])]],
  ...lengths.map((length): [string, RelayReply[]] => [`a page of ${length} bytes`, [page(300, length)]]),
]

test.each(cases)('%s: reads as what Protobuf writes', (_what, replies) => {
  const expected = toBinary(ExchangeResponseSchema, create(ExchangeResponseSchema, { replies }))
  const frame = responseOf({ replies })
  expect(frame.byteLength).toBe(expected.length)
  const bytes = Buffer.alloc(5 + frame.byteLength)
  frame.copy(bytes, 5)
  expect(
    Buffer.from(toBinary(ExchangeResponseSchema, fromBinary(ExchangeResponseSchema, bytes.subarray(5)))).equals(
      expected,
    ),
  ).toBe(true)
})
