import { compare } from '../arms.ts'
import { openConnection, requestOf } from '../load/http.ts'
import type { Request } from '../load/job.ts'
import { lineOf, type Line, type Suite } from '../suite.ts'
import { authorizationFor, targetsOf } from '../targets.ts'

const clients = 8
const proxy = { 'X-Forwarded-For': '192.0.2.1' }
const asking: Record<string, Record<string, string>> = {
  'as it is': {},
  'asked for, but from this machine': { 'Accept-Encoding': 'gzip, deflate, br' },
  gzip: { 'Accept-Encoding': 'gzip', ...proxy },
  brotli: { 'Accept-Encoding': 'br', ...proxy },
}

/** What compression costs and saves: the same pages, asked for in all ways. */
export const compressed: Suite = {
  name: 'compressed',
  once: true,
  async run({ system, load, databaseUrl, credentials, size, rounds, ms, watched }) {
    const targets = await targetsOf(databaseUrl, credentials, 20)
    const lines: Line[] = []
    for (const limit of [1, 50]) {
      const path = `/xapi/statements?limit=${limit}`
      const requests = (headers: Record<string, string>): Request[] =>
        targets.map((target) => ({ method: 'GET', path, headers: { ...authorizationFor(target), ...headers } }))
      const arms = Object.entries(asking).map(([name, headers]) => ({
        name,
        run: (ms: number) =>
          load.run({
            kind: 'send',
            port: system.port,
            clients,
            ms,
            requests: requests(headers),
            expect: { status: 200 },
          }),
      }))
      const comparison = await compare(`GET of ${limit}`, arms, { rounds, ms, watched })
      for (const [name, headers] of Object.entries(asking)) {
        const bytes = await bytesOf(system.port, requests(headers)[0]!)
        const measure = `GET of ${limit}, ${name}: ${bytes.toLocaleString('en')} bytes`
        lines.push(lineOf('compressed', measure, size, 'pages/s', comparison, name, 'as it is'))
      }
    }
    return lines
  },
}

async function bytesOf(port: number, { method, path, headers = {} }: Request): Promise<number> {
  const connection = await openConnection(port)
  const { body } = await connection.send(requestOf(method, path, headers))
  connection.close()
  return body.length
}
