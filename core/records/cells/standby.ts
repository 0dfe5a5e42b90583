import type { Database, DatabaseOptions } from '../../process/database/database.ts'
import { isAway, Refusal } from '../../process/refusal.ts'
import type { Counting } from '../store/cell/counting.ts'
import { NoStandby, standbyOrder, type StandbyOrder } from '../store/cell/standby-order.ts'
import type { Part } from './part.ts'
import { partsOf } from './parts.ts'
import { places } from './places.ts'

/** A standby of the directory's server, which answers reads. */
export interface StandbyServer {
  /** Its host and port. */
  readonly name: string
  readonly open: (cell: number, accept: DatabaseOptions['accept']) => Database
}

/** The last numbers of the orders of cells on the primary; `idle`: set while nobody wrote. */
export type PrimaryOrders = ReadonlyMap<number, { readonly last: number; readonly idle: number | null }>

/** Microseconds by which a standby may be behind. */
const maxBehind = 5_000_000

const identity = `select system_identifier || ' ' || pg_postmaster_start_time() as server from pg_control_system()`

/** The connections to one standby. When it fails they are closed, and new ones ask again how far it is. */
export function standbyOf({ name, open }: StandbyServer, counting: Counting) {
  let opened: ReturnType<typeof connect> | undefined
  /** Why it is left out; empty: it is asked. */
  let fault = 'it has not been asked yet'
  let isPrimary = false
  let behind = 0

  function connect() {
    const orders = new Map<number, StandbyOrder>()
    let server: string | undefined
    // what one server has replayed says nothing about another one behind the same address
    const accept: DatabaseOptions['accept'] = async (connection) => {
      const { rows } = await connection.query<{ server: string }>(identity)
      server ??= rows[0]!.server
      if (server !== rows[0]!.server) throw new Error('it was started again, or its address leads to several servers')
    }
    const first = open(1, accept)
    const parts = partsOf(
      first,
      counting,
      places(first),
      (cell, elsewhere) => {
        if (elsewhere) throw new Refusal('unavailable', 'This server has no standby.')
        return open(cell, accept)
      },
      (cell, database) => {
        const order = standbyOrder(database)
        orders.set(cell, order)
        return order
      },
    )
    return { orders, ...parts }
  }

  function fail(error: unknown): void {
    fault = (error as Error).message
    isPrimary = error instanceof NoStandby
    if (!isPrimary) void close()
  }

  async function close(): Promise<void> {
    const parts = opened?.opened() ?? []
    opened = undefined
    await Promise.all(parts.map(({ database }) => database.close().catch(() => {})))
  }

  return {
    /** Its cells that have been read. */
    cells: (): number[] => [...(opened?.orders.keys() ?? [1])],

    /** Sees how far it has come. @param before the orders of the primary, as they were at the last look */
    async look(before: PrimaryOrders, now: PrimaryOrders): Promise<void> {
      const asked = (opened ??= connect())
      try {
        behind = 0
        for (const [cell, order] of asked.orders) {
          const { last, idle } = now.get(cell) ?? { last: 0, idle: null }
          if (idle !== null) order.idleAt(idle)
          await order.ask()
          if (order.last() < (before.get(cell)?.last ?? 0)) behind = Math.max(behind, last - order.last())
        }
        fault = behind > maxBehind ? `it is ${Math.round(behind / 1_000_000)} s behind` : ''
        isPrimary = false
      } catch (error) {
        if (asked === opened) fail(error)
      }
    },

    /**
     * Reads on it; undefined: it is left out, or behind `after`. `erased`: how many transactions had erased something, as
     * the standby knew before it read.
     */
    async read<Found extends { readonly consistentThrough: number }>(
      cell: number,
      after: number,
      read: (statements: Part['statements']) => Promise<Found | 'stale'>,
    ): Promise<{ found: Found; erased: string } | 'failed' | undefined> {
      const asked = opened
      if (fault !== '' || !asked) return undefined
      try {
        await asked.part(cell)
        const order = asked.orders.get(cell)!
        await order.read()
        if (after > order.last()) await order.ask()
        if (after > order.last()) return undefined
        const erased = order.erased()
        const found = await read(asked.statements)
        if (found === 'stale') return 'failed'
        const { consistentThrough: through } = found
        order.learn(through)
        return through > 0 && after <= through ? { found, erased } : undefined
      } catch (error) {
        if (asked === opened && (isAway(error) || !(error instanceof Refusal))) fail(error)
        return 'failed'
      }
    },

    /** How it is; `behind`: seconds, 0: less than a second. */
    state: () => ({ name, fault, isPrimary, behind: behind / 1_000_000 }),
    close,
  }
}
