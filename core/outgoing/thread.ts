import { parentPort, workerData } from 'node:worker_threads'
import { mendJsonParse } from '../rpc/escaped-keys.ts'
import { addressGuard } from './address-guard.ts'
import { callsOf } from './calls.ts'
import { OutgoingError } from './outgoing-error.ts'
import type { CallOutcome, CallTask, OutgoingOptions } from './outgoing.ts'
import { systemLookUp } from './resolve.ts'

/** The thread of all calls to other systems: what they send cannot hold up core's own thread. */
mendJsonParse()
const { allowed, seconds, mailSeconds, sentBytes } = workerData as OutgoingOptions
const calls = callsOf({ guard: addressGuard(allowed), seconds, sentBytes, lookUp: systemLookUp }, mailSeconds)

async function outcomeOf({ call, input }: CallTask): Promise<CallOutcome> {
  try {
    return { kind: 'done', output: await (calls[call] as (input: unknown) => Promise<unknown>)(input) }
  } catch (error) {
    if (error instanceof OutgoingError) return { kind: 'not done', failure: error.failure, message: error.message }
    return { kind: 'broken', message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

parentPort!.on('message', (task: CallTask) => {
  void outcomeOf(task).then((outcome) => parentPort!.postMessage({ id: task.id, outcome }, []))
})
