import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect } from 'vitest'

export interface Request {
  readonly url: string
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: Uint8Array
}

interface Waits {
  /** Milliseconds. */
  readonly median: number
  readonly slowest: number
}

/**
 * How long a victim waits who asks again and again: alone, and beside clients in a thread of their own, of which each
 * sends the request again when it has the answer.
 * @returns which statuses the clients got
 */
export async function besides(
  clients: number,
  request: Request,
  ask: () => Promise<unknown>,
): Promise<{ alone: Waits; beside: Waits; statuses: number[] }> {
  await waits(ask, 20)
  const alone = await waits(ask, 40)
  const thread = new Worker(new URL('crowd-thread.ts', import.meta.url), { workerData: { clients, request } })
  await once(thread, 'message')
  // until all are at work
  await pause(300)
  const beside = await waits(ask, 40)
  const ended = once(thread, 'message')
  thread.postMessage('end', [])
  const [statuses] = (await ended) as [number[]]
  await thread.terminate()
  return { alone, beside, statuses }
}

async function waits(ask: () => Promise<unknown>, times: number): Promise<Waits> {
  const all: number[] = []
  for (let n = 0; n < times; n++) {
    const began = performance.now()
    await ask()
    all.push(performance.now() - began)
  }
  all.sort((a, b) => a - b)
  return { median: all[times >> 1]!, slowest: all.at(-1)! }
}

/** On a machine that is busy with other things as well; what holds up core's thread takes a second. */
export function expectBearable({ alone, beside }: { alone: Waits; beside: Waits }): void {
  const told = JSON.stringify({ alone, beside })
  expect(beside.median, told).toBeLessThan(4 * alone.median + 120)
  expect(beside.slowest, told).toBeLessThan(4 * alone.slowest + 1_000)
}
