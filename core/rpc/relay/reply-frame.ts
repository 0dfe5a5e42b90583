import { create, toBinary } from '@bufbuild/protobuf'
import { RelayReplySchema, type ExchangeResponse, type RelayReply } from '../../../gen/lrs/v1/relay_pb.js'
import { QueryStatementsResponseSchema } from '../../../gen/lrs/v1/statements_pb.js'
import { fieldSize, messageFrame, startField, type Entry, type MessageFrame } from '../../../shared/message-frame.ts'

/** Tags of length-delimited fields: RelayReply.query_statements, QueryStatementsResponse.json_run. */
const tags = { queryStatements: 0x3a, jsonRun: 0x32 }
const none = new Uint8Array()

/** The bytes of an ExchangeResponse, as toBinary() makes them. A page is copied once, not once at each level. */
export const responseOf = ({ replies }: Pick<ExchangeResponse, 'replies'>): MessageFrame =>
  messageFrame(replies.map(entryOf))

function entryOf(reply: RelayReply): Entry {
  const { id, caller, result } = reply
  if (result.case !== 'queryStatements' || result.value.jsonRun.length === 0) {
    const whole = toBinary(RelayReplySchema, reply)
    return { size: whole.length, parts: [whole] }
  }
  const run = result.value.jsonRun
  const start = toBinary(RelayReplySchema, create(RelayReplySchema, { id, caller }))
  const rest = toBinary(QueryStatementsResponseSchema, { ...result.value, jsonRun: none })
  const length = rest.length + fieldSize(run.length)
  const head = Buffer.allocUnsafe(start.length + fieldSize(length) - run.length)
  head.set(start)
  const at = startField(head, start.length, tags.queryStatements, length)
  head.set(rest, at)
  startField(head, at + rest.length, tags.jsonRun, run.length)
  return { size: head.length + run.length, parts: [head, run] }
}
