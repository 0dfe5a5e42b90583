import { shapeOf } from '../shapes/shapes.ts'
import type { GrowJob, Grown } from './job.ts'
import { makePost, sendPost, withConnections } from './over-http.ts'

/** Posts new statements without a pause until the store holds `total`. All clients take them from one source. */
export async function grow({ port, shape: name, seed, clients, batch, total }: GrowJob): Promise<Grown> {
  const shape = shapeOf(name)
  const source = shape.traffic(seed)
  const ids: string[] = []
  const ends: number[] = []
  let sent = 0
  let done = 0
  const begin = performance.now()
  await withConnections(port, clients, (connections) =>
    Promise.all(
      connections.map(async (connection, client) => {
        while (sent < total) {
          const count = Math.min(batch, total - sent)
          sent += count
          // the first client writes only to the first game, so that the follower of that game has enough to read
          const post = makePost(source, count, client === 0 && shape.games > 1 ? 0 : undefined)
          await sendPost(connection, post)
          if (post.game === 0) ids.push(...post.ids)
          done += count
          while (done >= (total / 10) * (ends.length + 1)) ends.push(performance.now())
        }
      }),
    ),
  )
  return { ids, tenths: ends.map((end, tenth) => (end - (ends[tenth - 1] ?? begin)) / 1000) }
}
