import { execFileSync } from 'node:child_process'
import { median } from '../arms.ts'
import { progress } from '../progress.ts'
import type { Suite } from '../suite.ts'
import { agentOf, authorizationFor, targetsOf } from '../targets.ts'

const MiB = 1024 * 1024
const everyMs = 500
const turnMs = 3_000

/** Resident memory of both processes under batches, single statements and pages in turn. */
export const memory: Suite = {
  name: 'memory',
  once: true,
  async run({ system, load, shape, databaseUrl, credentials, size, minutes, seed }) {
    const requests = (await targetsOf(databaseUrl, credentials, 100)).map((target) => ({
      method: 'GET',
      path: `/xapi/statements?${new URLSearchParams({ agent: agentOf(target) })}`,
      headers: authorizationFor(target),
    }))
    const { port } = system
    const turns = [
      () => load.run({ kind: 'post', port, shape: shape.name, batch: 250, clients: 8, ms: turnMs, seed: seed() }),
      () => load.run({ kind: 'post', port, shape: shape.name, batch: 1, clients: 64, ms: turnMs, seed: seed() }),
      () => load.run({ kind: 'send', port, requests, clients: 16, ms: turnMs, expect: { status: 200 } }),
    ]
    const seen = { core: [] as number[], gateway: [] as number[] }
    const timer = setInterval(() => {
      seen.core.push(residentOf(system.core.pid))
      seen.gateway.push(residentOf(system.gateway.pid))
    }, everyMs)
    const end = performance.now() + minutes * 60_000
    try {
      for (let turn = 0; performance.now() < end; turn++) {
        progress(`memory: ${Math.ceil((end - performance.now()) / 1000)} s to go`)
        await turns[turn % turns.length]!()
      }
    } finally {
      clearInterval(timer)
    }
    progress(`memory: watched for ${minutes} minutes`, true)
    return (['gateway', 'core'] as const).flatMap((name) => {
      const all = seen[name]
      const third = Math.ceil(all.length / 3)
      return [
        {
          suite: 'memory',
          measure: `memory of ${name}, highest`,
          size,
          unit: 'MiB',
          value: Math.max(...all) / MiB,
          goal: { atMost: 256 },
        },
        {
          suite: 'memory',
          measure: `memory of ${name}, last third by middle third`,
          size,
          unit: 'times',
          value: median(all.slice(-third)) / median(all.slice(third, 2 * third)),
          goal: { atMost: 1.1 },
        },
      ]
    })
  },
}

/** Bytes. */
function residentOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024
}
