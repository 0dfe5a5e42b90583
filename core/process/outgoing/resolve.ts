import { Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { isIP, type LookupFunction } from 'node:net'
import type { AddressGuard } from './address-guard.ts'
import { OutgoingError } from './outgoing-error.ts'

/** How calls find and choose addresses, and how long one may take with everything. */
export interface Way {
  readonly guard: AddressGuard
  readonly seconds: number
  /** Most bytes of a request; undefined: those of shared/limits.ts. */
  readonly sentBytes?: number | undefined
  readonly lookUp: (host: string, signal: AbortSignal) => Promise<string[]>
}

/** A host, by its name or its address without brackets, and a port. */
export interface Place {
  readonly host: string
  readonly port: number
}

/** All addresses of a host. */
export const addressesOf = async ({ host }: Place, { lookUp }: Way, signal: AbortSignal): Promise<string[]> =>
  isIP(host) ? [host] : await lookUp(host, signal)

/** Those of them that may be called. @throws OutgoingError when none may */
export function reachable({ host, port }: Place, found: readonly string[], guard: AddressGuard): string[] {
  const allowed = found.filter((address) => guard.allows(address, port))
  if (allowed.length > 0) return allowed
  throw new OutgoingError(
    'not allowed',
    `${host}:${port} is no public host: its address is private or reserved, or the port is one of ours. The operator ` +
      'of this service can allow its network with LRS_OUTGOING_ALLOW.',
    '',
  )
}

/** Makes a connection go to these addresses, without another look-up. */
export function lookupOf(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }))
  // later, as a look-up is: a connection that fails at once would fail before anybody listens for its error
  return (_host, options, done) =>
    void setImmediate(() => (options.all ? done(null, all) : done(null, all[0]!.address, all[0]!.family)))
}

/**
 * Asks the name servers of the system by itself: getaddrinfo would use threads that passwords and files need as well,
 * and a dead name server would hold up those.
 */
export const systemLookUp = async (host: string, signal: AbortSignal): Promise<string[]> =>
  fromHosts(host.toLowerCase()) ?? (await fromServers(host, signal))

function fromHosts(host: string): string[] | undefined {
  const lines = readHosts().split('\n')
  const found = lines
    .map((line) => line.replace(/#.*/, '').trim().split(/\s+/))
    .filter(([address = '', ...names]) => isIP(address) && names.some((name) => name.toLowerCase() === host))
    .map(([address]) => address!)
  if (found.length > 0) return found
  return host === 'localhost' || host.endsWith('.localhost') ? ['127.0.0.1', '::1'] : undefined
}

function readHosts(): string {
  try {
    return readFileSync('/etc/hosts', 'utf8')
  } catch {
    return ''
  }
}

async function fromServers(host: string, signal: AbortSignal): Promise<string[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  const stop = (): void => resolver.cancel()
  signal.addEventListener('abort', stop, { once: true })
  try {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    signal.throwIfAborted()
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length > 0) return found
    throw new OutgoingError('failed', `The name ${host} has no address, or no name server answers.`)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
