import type { MessageInitShape } from '@bufbuild/protobuf'
import type { Client } from '@connectrpc/connect'
import type {
  StatementService,
  StoreStatementsOutcome,
  StoreStatementsStreamRequestSchema,
} from '../../gen/lrs/v1/statements_pb.js'

type Request = MessageInitShape<typeof StoreStatementsStreamRequestSchema>

/** A stream of statements to store. Requests go out as they are given; answers are kept by their sequence. */
export function storeStream(statements: Client<typeof StatementService>, headers: Record<string, string> = {}) {
  const answers = new Map<bigint, StoreStatementsOutcome['result']>()
  const stop = new AbortController()
  const waiting: Request[] = []
  let [isDone, wake] = [false, Promise.withResolvers<void>()]
  const stir = () => {
    wake.resolve()
    wake = Promise.withResolvers()
  }
  async function* requests() {
    for (;;) {
      while (waiting.length > 0) yield waiting.shift()!
      if (isDone) return
      await wake.promise
    }
  }
  let ended = false
  const end = (async () => {
    for await (const { outcomes } of statements.storeStatementsStream(requests(), { headers, signal: stop.signal })) {
      for (const { sequence, result } of outcomes) {
        if (answers.has(sequence)) throw new Error(`two answers to ${sequence}`)
        answers.set(sequence, result)
      }
    }
  })().finally(() => (ended = true))
  end.catch(() => {})
  return {
    answers,
    /** Rejects with the error that the stream ended with. */
    end,
    get ended() {
      return ended
    },
    send(...more: Request[]): void {
      waiting.push(...more)
      stir()
    },
    /** Nothing more is to come; resolves once the stream has ended. */
    done(): Promise<void> {
      isDone = true
      stir()
      return end
    },
    leave: () => stop.abort(),
  }
}

/** A request with these statements as JSON. */
export const jsonRequest = (sequence: number, statements: unknown) => ({
  sequence: BigInt(sequence),
  json: Buffer.from(JSON.stringify(statements)),
})
