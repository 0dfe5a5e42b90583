import { hash } from 'node:crypto'
import { changeQuery, type DocumentLocation } from '../../core/records/store/cell/documents.ts'
import { documentKey, stateScope } from '../../core/records/xapi/document-scope.ts'
import { agentKey, type Key } from '../../core/records/xapi/identify.ts'
import { compare } from '../arms.ts'
import type { Query, Request, SendJob } from '../load/job.ts'
import { recordDocument, recordRead } from '../load/record.ts'
import { activityId } from '../shapes/statement.ts'
import { lineOf, type Line, type Suite } from '../suite.ts'
import { agentOf, authorizationFor, targetsOf, type Target } from '../targets.ts'

/** One after the other for a few players, and together for a crowd, as with POST of 1. */
const crowds = [8, 64]
const stateId = 'progress'
const contentType = 'application/json'

/** GET by statementId, PUT and GET of a state document of 1 KB, beside the bare SQL. */
export const getOneAndState: Suite = {
  name: 'get-one-and-state',
  async run({ system, load, databaseUrl: url, credentials, size, rounds, ms, watched }) {
    const targets = await targetsOf(url, credentials, 200)
    const lines: Line[] = []

    const measure = async (what: string, requests: Request[], expect: SendJob['expect'], queries: Query[]) => {
      for (const clients of crowds) {
        const name = `${what}, ${clients} clients`
        const comparison = await compare(
          name,
          [
            { name, run: (ms) => load.run({ kind: 'send', port: system.port, clients, ms, requests, expect }) },
            { name: 'pg query', run: (ms) => load.run({ kind: 'query', url, clients, ms, queries }) },
          ],
          { rounds, ms, watched },
        )
        lines.push(
          lineOf('get-one-and-state', name, size, 'requests/s', comparison, name, 'pg query', { atLeast: 0.5 }),
        )
      }
    }

    await measure(
      'GET by statementId',
      targets.map((target) => ({
        method: 'GET',
        path: `/xapi/statements?statementId=${target.id}`,
        headers: authorizationFor(target),
      })),
      { status: 200, contains: '"stored":"' },
      await Promise.all(targets.map((target) => recordRead(({ byId }) => byId(readerOf(target), target.id, false)))),
    )

    const content = Buffer.from(
      JSON.stringify({ level: 7, inventory: Array.from({ length: 40 }, (_, item) => ({ item, count: item * 3 })) }),
    )
    const path = (target: Target) =>
      `/xapi/activities/state?${new URLSearchParams({ activityId: activityId(1), agent: agentOf(target), stateId })}`
    const locations = targets.map((target): DocumentLocation & { who: ReturnType<typeof readerOf> } => {
      const key = agentKey(JSON.parse(agentOf(target))) as Key
      return { who: readerOf(target), scope: stateScope(target.credential.gameId, activityId(1), key), agent: key }
    })
    const document = { content, contentType, etag: hash('sha1', content, 'hex') }
    await measure(
      'PUT state',
      targets.map((target) => ({
        method: 'PUT',
        path: path(target),
        headers: { ...authorizationFor(target), 'Content-Type': contentType },
        body: content.toString(),
      })),
      { status: 204 },
      locations.map(({ who, ...location }) => {
        const changing = {
          game: who.game,
          who,
          location,
          key: documentKey(stateId),
          id: stateId,
          document,
          conditions: { required: 'never' },
        } as const
        const { name, ...query } = changeQuery(changing)
        return { name: `floor_${name}`, ...query }
      }),
    )
    await measure(
      'GET state',
      targets.map((target) => ({ method: 'GET', path: path(target), headers: authorizationFor(target) })),
      { status: 200, body: content.toString() },
      await Promise.all(
        locations.map(({ who, ...location }) =>
          recordDocument(({ get }) => get(who, location, documentKey(stateId), true)),
        ),
      ),
    )
    return lines
  },
}

function readerOf({ credential }: Target) {
  return {
    credential: credential.id,
    credentialVersion: credential.version,
    game: credential.game,
    cell: 1,
    everything: false,
  }
}
