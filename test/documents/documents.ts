import { setTimeout as sleep } from 'node:timers/promises'
import { activity, player } from '../support/statements.ts'
import { startSystem } from '../support/system.ts'
import type { Query, Reply, RequestOptions, XapiClient } from '../support/xapi.ts'

export interface Kind {
  path: string
  id: 'stateId' | 'profileId'
  scope(): Query
}

export const state: Kind = {
  path: 'activities/state',
  id: 'stateId',
  scope: () => ({ activityId: activity(fresh('a')).id, agent: player('ann') }),
}
export const activityProfile: Kind = {
  path: 'activities/profile',
  id: 'profileId',
  scope: () => ({ activityId: activity(fresh('a')).id }),
}
export const agentProfile: Kind = {
  path: 'agents/profile',
  id: 'profileId',
  scope: () => ({ agent: player(fresh('learner')) }),
}

let counter = 0
export const fresh = (name: string) => `${name}-${counter++}`
export const times = (status: number, replies: Reply[]) => replies.filter((reply) => reply.status === status).length

/** Documents of one new scope of a kind, through one of the gateways. */
function scopeOf(kind: Kind, client: XapiClient) {
  const scope = kind.scope()
  const on = (xapi: XapiClient) => {
    const send = (method: string, id: string | undefined, options: RequestOptions = {}) =>
      xapi.request(method, kind.path, { ...options, query: { ...scope, [kind.id]: id, ...options.query } })
    /** A busy machine may refuse some of many requests at once; like other clients, it sends these again. */
    const call = async (...request: Parameters<typeof send>): Promise<Reply> => {
      for (let tried = 1; ; tried++) {
        const reply = await send(...request)
        if (reply.status !== 503 || tried === 20) return reply
        await sleep(200)
      }
    }
    return {
      put: (id: string, body: unknown, headers?: RequestOptions['headers']) => call('PUT', id, { body, headers }),
      post: (id: string, body: unknown, headers?: RequestOptions['headers']) => call('POST', id, { body, headers }),
      get: (id: string) => call('GET', id),
      head: (id: string) => call('HEAD', id),
      list: (query?: Query) => call('GET', undefined, { query }),
      remove: (id?: string, headers?: RequestOptions['headers']) => call('DELETE', id, { headers }),
      call,
    }
  }
  return { ...on(client), on, scope }
}

/** Two cores and gateways, and a game. */
export async function startDocuments() {
  const system = await startSystem({ cores: 2, gateways: 2 })
  const game = await system.game()
  return { system, game, scopeOf: (kind: Kind, client = game.xapi()) => scopeOf(kind, client) }
}

export type Documents = Awaited<ReturnType<typeof startDocuments>>
