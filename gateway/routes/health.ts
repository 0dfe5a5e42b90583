import { json } from '../http/answer.ts'
import type { Resource } from '../resource.ts'

const well = json('{"status":"ok"}')

/** Whether the process is alive. */
export function healthz(): Resource {
  return { path: '/healthz', open: true, actions: { GET: { parameters: {}, run: () => well } } }
}

/** Whether it can serve: a core and its database are reached. */
export function readyz(): Resource {
  let checking: Promise<string | undefined> | undefined
  return {
    path: '/readyz',
    open: true,
    actions: {
      GET: {
        parameters: {},
        async run(_context, relay) {
          // whoever asks while a check is under way shares it
          checking ??= relay.trouble().finally(() => (checking = undefined))
          const reason = await checking
          return reason === undefined ? well : { ...json(JSON.stringify({ status: 'unavailable', reason })), status: 503 }
        },
      },
    },
  }
}
