import { networkShown } from '../process/rules/network.ts'

export interface StrangerBounds {
  /** Connections and calls of strangers from one network: at once, and then each second. */
  readonly burst: number
  readonly perSecond: number
  /** Milliseconds that a connection waits for its turn before it is refused. */
  readonly patience: number
  /** Open connections of callers who are not known yet: from one network, and from all. */
  readonly open: number
  readonly openInAll: number
  /** Networks that are counted. */
  readonly networks: number
}

/** A connection. Until one of its calls shows a valid credential it is a stranger's. */
export interface Guest {
  readonly isKnown: boolean
  /** A call had a valid credential: from now on the network of the connection does not count. */
  known(): void
  /** Whether a call of a stranger may be served. The first call of a connection counted with the connection. */
  may(): boolean
  /** The connection has ended. */
  left(): void
}

interface Network {
  /** The time from which on the full burst is free again. */
  paid: number
  /** What ends each open connection, the oldest first. */
  readonly open: Set<() => void>
}

/**
 * Counts strangers, callers without a valid credential, by network (an IPv4 address or an IPv6 /64) over all of its
 * connections: a new connection is no new start. Known callers are not counted.
 */
export function strangers(bounds: StrangerBounds, now: () => number = () => performance.now()) {
  const { burst, perSecond, patience, open: most, openInAll, networks } = bounds
  const interval = 1000 / perSecond
  const known = new Map<string, Network>()
  const all = new Set<() => void>()

  function networkAt(address: string): Network {
    const name = networkShown(address)
    const network = known.get(name) ?? { paid: 0, open: new Set() }
    // the last one is the one that was seen last
    known.delete(name)
    known.set(name, network)
    if (known.size > networks) known.delete(known.entries().find(([, { open }]) => open.size === 0)![0])
    return network
  }

  /** Takes a turn; returns the milliseconds until it comes, undefined if that is longer than `longest`. */
  function take(network: Network, longest: number): number | undefined {
    const paid = Math.max(network.paid, now()) + interval
    const wait = Math.max(0, paid - now() - burst * interval)
    if (wait > longest) return undefined
    network.paid = paid
    return wait
  }

  return {
    /**
     * Counts a new connection. The oldest stranger makes room for it: a caller with a credential is known at once.
     * @param end ends the connection
     * @returns how long it waits before a byte of it is looked at; undefined: it is refused
     */
    enter(address: string, end: () => void): { wait: number; guest: Guest } | undefined {
      const network = networkAt(address)
      const wait = take(network, patience)
      if (wait === undefined) return undefined
      if (network.open.size >= most) oldest(network.open)()
      else if (all.size >= openInAll) oldest(all)()
      let isKnown = false
      let isFirst = true
      const out = (): void => {
        network.open.delete(leave)
        all.delete(leave)
      }
      const leave = (): void => {
        out()
        end()
      }
      network.open.add(leave)
      all.add(leave)
      const guest: Guest = {
        get isKnown() {
          return isKnown
        },
        known() {
          isKnown = true
          out()
        },
        may() {
          const isPaid = isFirst
          isFirst = false
          return isPaid || take(network, 0) !== undefined
        },
        left: out,
      }
      return { wait, guest }
    },
    get networks(): number {
      return known.size
    },
    get open(): number {
      return all.size
    },
  }
}

const oldest = <Item>(items: Set<Item>): Item => items.values().next().value!
