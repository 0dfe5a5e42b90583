import { spawn } from 'node:child_process'
import type { RequestListener } from 'node:http'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import { fuzz } from './fuzz.ts'
import { startWitness } from './witness.ts'
import { bestOfThree } from '../support/cost.ts'

/** Milliseconds for which somebody stands still. */
const still = 2_500

/** Works for so long, by its own time on a processor: what others take comes on top. */
function work(): void {
  const began = process.threadCpuUsage()
  for (;;) {
    const { user, system } = process.threadCpuUsage(began)
    if (user + system > still * 1_000) return
  }
}

test('that the machine stood still is not held against what is tested', bestOfThree, async () => {
  const witness = await startWitness()
  const began = witness.now()
  // this process and all its threads, as when nothing runs
  const stop = spawn('sh', ['-c', `kill -STOP ${process.pid}; sleep ${still / 1000}; kill -CONT ${process.pid}`], {
    detached: true,
  })
  while (witness.now() - began < still) await new Promise((resolve) => setTimeout(resolve, 10))
  // until it has looked again
  await new Promise((resolve) => setTimeout(resolve, 200))
  const ended = witness.now()
  await witness.close()
  stop.unref()
  expect(ended - began - witness.stoodStill(began, ended)).toBeLessThan(still / 2)
})

test('that what is tested blocks its thread, is', bestOfThree, async () => {
  const witness = await startWitness()
  const began = witness.now()
  work()
  const ended = witness.now()
  await witness.close()
  expect(ended - began - witness.stoodStill(began, ended)).toBeGreaterThan(still / 2)
})

let system: PortalSystem
// while all stands still connections break off: that this is logged is right
beforeAll(async () => void (system = await startPortalSystem({ log: pino({ level: 'silent' }) })))
afterAll(() => system.close())

const holds: Record<string, (proceed: () => void) => void> = {
  waits: (proceed) => void setTimeout(proceed, still),
  blocks(proceed) {
    work()
    proceed()
  },
}
for (const [about, hold] of Object.entries(holds))
  test(
    `a handler that once ${about} for so long is found by the fuzzer`,
    { ...bestOfThree, tags: about === 'blocks' ? 'long' : [] },
    async () => {
      const { server } = system.gateways[0]!
      const [listener] = server.listeners('request') as [RequestListener]
      let count = 0
      server.removeAllListeners('request').on('request', (request, response) => {
        // not of the bare bytes, whose sender may have gone
        if (request.headers['user-agent'] === 'node' && ++count === 10) hold(() => listener(request, response))
        else listener(request, response)
      })
      try {
        const { failures } = await fuzz(system, { seed: 7, requests: 60, hang: 1_000 })
        expect(failures).toContainEqual(expect.stringMatching(/^an answer after \d{4,} ms/))
      } finally {
        server.removeAllListeners('request').on('request', listener)
      }
    },
  )
