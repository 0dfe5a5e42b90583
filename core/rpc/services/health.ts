import { setTimeout as sleep } from 'node:timers/promises'
import { createContextKey, type ServiceImpl } from '@connectrpc/connect'
import {
  HealthCheckResponse_ServingStatus as ServingStatus,
  type Health,
} from '../../../gen/grpc/health/v1/health_pb.js'
import { slots } from '../../process/concurrency/slots.ts'
import type { Core } from '../../context.ts'
import { Refusal } from '../../process/refusal.ts'
import { connectErrorOf } from '../../process/methods/failure.ts'

/** The network address of the caller. */
export const peer = createContextKey('')

/** Most watchers: in all, and from one address. One query a second to the database serves all of them. */
const most = { inAll: 200, ofOne: 20, refusal: 'Too many watch the health of this core; ask with Check.' }
const everyMs = 1_000

/**
 * The health of core. Anybody may ask for it, so the cost of a call is bounded. All services have the health of core.
 * @param served names of services; the empty name means all of them
 */
export function healthService(core: Core, served: ReadonlySet<string>): ServiceImpl<typeof Health> {
  const watchers = slots(most)
  let asked = -Infinity
  let status = Promise.resolve(ServingStatus.UNKNOWN)

  function current(): Promise<ServingStatus> {
    if (performance.now() - asked < everyMs) return status
    asked = performance.now()
    return (status = statusOf(core))
  }

  return {
    // the sender of a token wants to know whether it is valid
    async check({ service }, { requestHeader }) {
      const shown = requestHeader.get('authorization')
      if (shown !== null && core.services.roleOf(shown) === undefined)
        throw new Refusal('unauthenticated', 'This is not a valid service token.')
      if (!served.has(service))
        throw new Refusal('not-found', 'There is no service of this name here; List returns the names of all services.')
      return { status: await statusOf(core) }
    },
    async list() {
      const status = await current()
      return { statuses: Object.fromEntries([...served].map((name) => [name, { status }])) }
    },
    async *watch({ service }, { signal, values }) {
      const release = slotOf(values.get(peer))
      const known = served.has(service)
      try {
        let last: ServingStatus | undefined
        while (!signal.aborted) {
          const now = known ? await current() : ServingStatus.SERVICE_UNKNOWN
          if (now !== last) yield { status: (last = now) }
          await sleep(everyMs, undefined, { signal }).catch(() => {})
        }
      } finally {
        release()
      }
    },
  }

  function slotOf(address: string): () => void {
    try {
      return watchers.take(address)
    } catch (error) {
      // errors within a stream do not pass through the interceptors
      throw connectErrorOf(error, core.log, { method: 'Watch' })
    }
  }
}

/** SERVING when the database answers. */
export async function statusOf({ store }: Core): Promise<ServingStatus> {
  return store.ping().then(
    () => ServingStatus.SERVING,
    () => ServingStatus.NOT_SERVING,
  )
}
