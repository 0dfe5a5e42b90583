import { join } from 'node:path'
import { compare } from '../arms.ts'
import { authorizationOf, keyOf } from '../keys.ts'
import { openConnection, requestOf } from '../load/http.ts'
import type { Request, SendJob } from '../load/job.ts'
import { lineOf, type Line, type Suite } from '../suite.ts'
import { standIn, startSystem } from '../system.ts'

const clients = 16
const path = '/xapi/statements'

/** Refusing, beside the gateway by itself accepting the same body: it reads it and answers, without core. */
export const refuse: Suite = {
  name: 'refuse',
  once: true,
  async run({ system, load, shape, databaseUrl, folder, size, rounds, ms, watched, seed }) {
    const source = shape.traffic(seed())
    const one = source.next().json
    const list = Array.from({ length: 251 }, () => source.next().json)
    const [many, most] = [list, list.slice(0, 250)].map((statements) => `[${statements.join(',')}]`)
    const json = { Authorization: authorizationOf(0), 'Content-Type': 'application/json' }
    const wrong = { ...json, Authorization: `Basic ${Buffer.from(`${keyOf(0)}:wrong`).toString('base64')}` }
    const limited = await startSystem({ databaseUrl, folder: join(folder, 'limited'), rateLimits: 'on' })
    const alone = await startSystem({
      databaseUrl,
      folder: join(folder, 'echo'),
      coreScript: standIn('core'),
      gatewayScript: standIn('gateway'),
    })

    const arm = (
      name: string,
      request: Request,
      expect: SendJob['expect'],
      { port, gateway, core } = system,
      reconnect = false,
    ) => ({
      name,
      watched: { ...watched, gateway: gateway.pid, core: core.pid },
      run: (ms: number) => load.run({ kind: 'send', port, clients, ms, requests: [request], expect, reconnect }),
    })
    const echo = arm('echo', { method: 'POST', path, headers: json, body: one }, { status: 200 }, alone)
    const echoMost = arm('echo of 250', { method: 'POST', path, headers: json, body: most }, { status: 200 }, alone)
    const echoAnew = arm('about, new connection', { method: 'GET', path: '/xapi/about' }, { status: 200 }, system, true)
    const arms = [
      arm(
        '401: no header',
        { method: 'POST', path, headers: { 'Content-Type': 'application/json' }, body: one },
        { status: 401 },
      ),
      arm('401: wrong secret', { method: 'POST', path, headers: wrong, body: one }, { status: 401 }),
      arm(
        '429',
        { method: 'POST', path, headers: json, body: one },
        { status: 429, contains: 'Rate limit exceeded' },
        limited,
      ),
    ]
    const tooMany = arm('413: 251 statements', { method: 'POST', path, headers: json, body: many }, { status: 413 })
    const tooLong = arm(
      '413: length',
      { method: 'POST', path, headers: { ...json, 'Content-Length': String(2 * 1024 * 1024 + 1) } },
      { status: 413 },
      system,
      true,
    )
    try {
      await exhaust(limited.port)
      const kept = await compare('refusing', [echo, ...arms], { rounds, ms, watched })
      const large = await compare('refusing large bodies', [echoMost, tooMany], { rounds, ms, watched })
      const anew = await compare('refusing on new connections', [echoAnew, tooLong], { rounds, ms, watched })
      const line = (name: string): Line =>
        lineOf('refuse', `refusing: ${name}`, size, 'requests/s', kept, name, echo.name, { atLeast: 0.8 })
      return [
        ...arms.map(({ name }) => line(name)),
        lineOf('refuse', `refusing: ${tooMany.name}`, size, 'requests/s', large, tooMany.name, echoMost.name, {
          atLeast: 0.8,
        }),
        lineOf('refuse', `refusing: ${tooLong.name}`, size, 'requests/s', anew, tooLong.name, echoAnew.name, {
          atLeast: 0.8,
        }),
      ]
    } finally {
      await alone.stop()
      await limited.stop()
    }

    /** Uses the window up with single statements. */
    async function exhaust(port: number): Promise<void> {
      const connection = await openConnection(port)
      let status = 200
      for (let count = 0; status === 200 && count < 1000; count++) {
        ;({ status } = await connection.send(requestOf('POST', path, json, source.next().json)))
      }
      connection.close()
      if (status !== 429) throw new Error(`no limit was met, but ${status}`)
    }
  },
}
