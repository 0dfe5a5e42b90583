import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import type { CoreMeters } from '../meters.ts'

/** Counts a call of this name once it is done, and how long it took; with a reason it was refused or failed. */
export function timed(
  { calls, callSeconds }: CoreMeters,
  name: string,
  way: 'relay' | 'rpc',
): (reason?: Reason) => void {
  const began = performance.now()
  const operation = names.get(name) ?? named(name)
  return (reason) => {
    callSeconds.observe((performance.now() - began) / 1000, [operation, way])
    calls.add([operation, way, reason === undefined ? 'ok' : (Reason[reason] ?? 'UNSPECIFIED').toLowerCase()])
  }
}

const names = new Map<string, string>()

/** The relay says storeStatements, services say StoreStatements: names of the contract, so they are few. */
function named(name: string): string {
  const operation = name.charAt(0).toUpperCase() + name.slice(1)
  names.set(name, operation)
  return operation
}
