import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { create, type DescMessage, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf'
import { piecesOf, sizeOf, smallBytes } from '../query/present.ts'
import { listOf, textsOf } from '../worker/jobs.ts'
import { typed } from '../worker/typed.ts'
import type { HeavyWork } from '../worker/worker.ts'

/**
 * An answer with statements as typed messages in its field `statement` or `statements`. Core makes small ones at once.
 * The worker thread makes and encodes others: they go into the answer as fields that Connect does not know, which it
 * sends as they are.
 */
export async function typedAnswer<Answer extends DescMessage>(
  work: HeavyWork,
  game: number,
  json: readonly Buffer[],
  schema: Answer,
  rest: MessageInitShape<Answer>,
): Promise<MessageShape<Answer>> {
  const answer = create(schema, rest)
  const field = schema.fields.find(({ name }) => name === 'statements' || name === 'statement')!
  if (sizeOf(json) <= smallBytes) {
    const made = json.map(typed)
    Object.assign(answer, { [field.localName]: field.fieldKind === 'list' ? made : made[0] })
    return answer
  }
  answer.$unknown = []
  for (const piece of piecesOf(json))
    for (const message of listOf(await work.run('typed', game, textsOf(piece)))) {
      const data = new BinaryWriter().bytes(message).finish()
      answer.$unknown.push({ no: field.number, wireType: WireType.LengthDelimited, data })
    }
  return answer
}
