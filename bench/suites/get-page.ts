import type { StatementFilter } from '../../core/store/read-statements.ts'
import { activityKey, agentKey, relatedAgentKey, verbKey } from '../../core/xapi/identify.ts'
import { compare } from '../arms.ts'
import { recordRead } from '../load/record.ts'
import { lineOf, type Line, type Suite } from '../suite.ts'
import { authorization } from '../system.ts'
import { answered, targetsOf, type Target } from '../targets.ts'
import { activityId } from '../traffic.ts'

const limit = 50
const clients = 8
/** The activities that are played most: even a small store has a page of each. */
const busiest = 10

interface Shape {
  name: string
  parameters(target: Target, index: number): Record<string, string>
  filter(target: Target, index: number): StatementFilter
}

const key = (agent: string) => agentKey(JSON.parse(agent))!

const shapes: Shape[] = [
  { name: 'agent', parameters: ({ agent }) => ({ agent }), filter: ({ agent }) => ({ agent: key(agent) }) },
  {
    name: 'activity',
    parameters: (_, index) => ({ activity: activityId(index % busiest) }),
    filter: (_, index) => ({ activity: activityKey(activityId(index % busiest)) }),
  },
  {
    name: 'verb and agent',
    parameters: ({ agent }) => ({ agent, verb: answered }),
    filter: ({ agent }) => ({ agent: key(agent), verb: verbKey(answered) }),
  },
  { name: 'registration', parameters: ({ registration }) => ({ registration }), filter: ({ registration }) => ({ registration }) },
  {
    name: 'related_agents',
    parameters: ({ instructor: agent }) => ({ agent, related_agents: 'true' }),
    filter: ({ instructor }) => ({
      agent: key(instructor),
      relatedAgent: relatedAgentKey(JSON.parse(instructor)),
      authority: instructor,
    }),
  },
]

/** GET of a page of 50 by each filter, beside the same SQL through `pg` alone. */
export const getPage: Suite = {
  name: 'get-page',
  async run({ system, load, databaseUrl: url, credential, size, rounds, ms, watched }) {
    const { id, version, game } = credential
    const reader = { credential: id, credentialVersion: version, game, everything: false }
    const targets = await targetsOf(url, game, 200)
    const lines: Line[] = []
    for (const { name, parameters, filter } of shapes) {
      const requests = targets.map((target, index) => ({
        method: 'GET',
        path: `/xapi/statements?${new URLSearchParams({ ...parameters(target, index), limit: String(limit) })}`,
        headers: { Authorization: authorization },
      }))
      const page = { ascending: false, limit }
      const queries = await Promise.all(targets.map((target, index) => recordRead(({ page: read }) => read(reader, filter(target, index), page))))
      const comparison = await compare(
        `GET of ${limit} by ${name}`,
        [
          { name: 'GET', run: (ms) => load.run({ kind: 'send', port: system.port, clients, ms, requests, expect: { status: 200, statements: limit } }) },
          { name: 'pg query', run: (ms) => load.run({ kind: 'query', url, clients, ms, queries, rows: limit + 1 }) },
        ],
        { rounds, ms, watched },
      )
      lines.push(lineOf('get-page', `GET of ${limit} by ${name}`, size, 'pages/s', comparison, 'GET', 'pg query', { atLeast: 0.5 }))
    }
    return lines
  },
}
