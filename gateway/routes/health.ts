import { json } from '../http/answer.ts'
import type { Resource } from '../resource.ts'

const healthy = json('{"status":"ok"}')

/** Answers 200 while the process runs. */
export function healthz(): Resource {
  return { path: '/healthz', open: true, actions: { GET: { parameters: {}, run: () => healthy } } }
}

/** Answers 200 while a core and its database can be reached. */
export function readyz(): Resource {
  let checking: Promise<string | undefined> | undefined
  return {
    path: '/readyz',
    open: true,
    actions: {
      GET: {
        parameters: {},
        async run(_context, relay) {
          // requests during a check share its result
          checking ??= relay.trouble().finally(() => (checking = undefined))
          const reason = await checking
          return reason === undefined
            ? healthy
            : { ...json(JSON.stringify({ status: 'unavailable', reason })), status: 503 }
        },
      },
    },
  }
}
