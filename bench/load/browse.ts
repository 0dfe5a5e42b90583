import type { BrowseJob, Browsed } from './job.ts'
import { percentiles } from './measure.ts'
import { check, withConnections } from './over-http.ts'
import { requestOf } from './http.ts'

/** One client that requests pages, one kind after the other, until `stop` is set. */
export async function browse({ port, requests }: BrowseJob, stop: { asked: boolean }): Promise<Browsed> {
  const kinds = Object.entries(requests).map(([name, all]) => ({ name, all, times: [] as number[] }))
  await withConnections(port, 1, async ([connection]) => {
    for (let turn = 0; !stop.asked; turn++) {
      for (const { all, times } of kinds) {
        const request = all[turn % all.length]!
        const bytes = requestOf(request.method, request.path, request.headers ?? {})
        const begin = performance.now()
        const answer = await connection!.send(bytes)
        times.push(performance.now() - begin)
        check(answer, request, { status: 200 })
      }
    }
  })
  return Object.fromEntries(kinds.map(({ name, times }) => [name, { count: times.length, ...percentiles(times) }]))
}
