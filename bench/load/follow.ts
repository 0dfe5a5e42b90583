import { openConnection, requestOf } from './http.ts'
import type { FollowJob, Followed } from './job.ts'
import { percentiles } from './measure.ts'

const idleMs = 10

/** Polls with `since`, oldest first, as a follower does; `stop` says when everything that is to come has been stored. */
export async function follow({ port, authorization, since }: FollowJob, stop: { asked: boolean }): Promise<Followed> {
  const connection = await openConnection(port)
  const ids: string[] = []
  const lags: number[] = []
  let place = since
  let inOrder = true
  for (;;) {
    const last = stop.asked
    const path = `/xapi/statements?ascending=true&limit=500&since=${encodeURIComponent(place)}`
    const { status, body } = await connection.send(requestOf('GET', path, { Authorization: authorization }))
    if (status !== 200) throw new Error(`A wrong answer to ${path}: ${status} ${body.toString('utf8', 0, 300)}`)
    const seen = Date.now()
    const { statements } = JSON.parse(body.toString()) as { statements: { id: string; stored: string }[] }
    for (const { id, stored } of statements) {
      if (stored <= place) inOrder = false
      place = stored
      ids.push(id)
      lags.push(seen - Date.parse(stored))
    }
    if (statements.length === 0 && last) break
    if (statements.length < 500) await new Promise((done) => setTimeout(done, idleMs))
  }
  connection.close()
  const { p50, p99 } = percentiles(lags)
  return { ids, lagP50: p50, lagP99: p99, inOrder }
}
