import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { addressGuard } from './address-guard.ts'
import { callsOf } from './calls.ts'
import { OutgoingError } from './outgoing-error.ts'
import type { CallOutcome, CallTask, OutgoingOptions } from './outgoing.ts'
import { systemLookUp } from './resolve.ts'

/** The thread of all calls to other systems: what they send cannot hold up core's own thread. */
const { allowed, ownPorts, seconds, mailSeconds, sentBytes } = workerData as OutgoingOptions
const guard = addressGuard(allowed, ownPorts)
const calls = callsOf({ guard, seconds, sentBytes, lookUp: systemLookUp }, mailSeconds)
const send = (id: number, outcome: CallOutcome): void => parentPort!.postMessage({ id, outcome }, [])
const textOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error))

// a fault of one call, outside of what it waits for, ends no other call: the call itself ends by `limited`
process.on('uncaughtException', (error) => send(0, { kind: 'broken', message: textOf(error) }))

async function limited<T>(call: Promise<T>, limit: number): Promise<T> {
  const ending = new AbortController()
  // later than the call's own limit, which says more
  const over = pause((limit + 2) * 1000, undefined, { signal: ending.signal }).then(() => {
    throw new OutgoingError('failed', 'The call did not end in time.', '')
  })
  try {
    return await Promise.race([call, over])
  } finally {
    over.catch(() => {})
    ending.abort()
  }
}

async function outcomeOf({ call, input }: CallTask): Promise<CallOutcome> {
  try {
    const begun = (calls[call] as (input: unknown) => Promise<unknown>)(input)
    return { kind: 'done', output: await limited(begun, call === 'mail' ? mailSeconds : seconds) }
  } catch (error) {
    if (!(error instanceof OutgoingError)) return { kind: 'broken', message: textOf(error) }
    const { failure, message, told } = error
    return { kind: 'not done', failure, message, told }
  }
}

parentPort!.on('message', (task: CallTask) => {
  void outcomeOf(task).then((outcome) => send(task.id, outcome))
})
