import { Refusal } from '../refusal.ts'
import { Problem } from '../problem.ts'
import { Unproven } from './wire.ts'

const readOnly = '25006'
const diskFull = '53100'
/** refuse_leaving() */
const fenced = 'LR003'

/**
 * The only place that reads SQLSTATE. A failure that a retry may cure is 'unavailable'; any other is a bug of ours.
 * @param onStandby the server is a standby
 */
export function storeFailure(error: unknown, onStandby = false): unknown {
  if (!(error instanceof Error) || error instanceof Refusal) return error
  if (isUnproven(error))
    return new Refusal(
      'unavailable',
      'A connection to the database lost its settings, so nothing was done; try again.',
      {
        cause: error,
      },
    )
  const { code = '' } = (error instanceof Unproven ? error.cause : error) as { code?: string }
  if (code === readOnly || code === diskFull) {
    return new Refusal(
      'unavailable',
      onStandby
        ? 'The store takes no writes at the moment, because its database is a standby; reads go on. Try again later.'
        : 'The store takes no writes at the moment, because its disk is nearly full; reads go on. Try again later.',
      { cause: error },
    )
  }
  if (isGone(code, error) || mayRunAgain(error)) {
    // a slow query, or too many of them, does not mean that others would fail
    const busy = mayRunAgain(error) || code === '57014' || error.name === 'KnexTimeoutError'
    return new Refusal('unavailable', 'The database cannot be reached or is busy; try again.', {
      cause: error,
      away: !busy,
    })
  }
  // the content had no statement for an hour and was deleted
  if (code === '23503')
    return new Refusal('unavailable', 'The request took too long; send it again.', { cause: error, one: true })
  // link_references(): referring statements were stored after the count
  if (code === 'LR001')
    return new Refusal(
      'unavailable',
      'Statements that refer to each other were stored at the same time; send the request again.',
      { one: true, cause: error },
    )
  // as if its server were away
  if (code === fenced)
    return new Refusal('unavailable', 'The cell of this game goes to another server at the moment; try again.', {
      away: true,
      cause: error,
    })
  // Postgres stores no U+0000 in text
  if (code === '22021') return new Problem('', 'must not hold the character U+0000')
  return error
}

/**
 * Connection lost, server stopping or starting, too many connections, time-outs; `aborted`: this core closes its pool.
 */
function isGone(code: string, error: Error): boolean {
  return (
    /^(08|53|57P|55P03|57014|58)/.test(code) ||
    /^E(CONN|PIPE|TIMEDOUT|HOST|NET|NOENT|AI_AGAIN)/.test(code) ||
    error.name === 'KnexTimeoutError' ||
    error.name === 'TimeoutError' ||
    /Connection terminated|connection timeout|not queryable/i.test(error.message) ||
    /Unable to acquire a connection|timeout expired|^aborted$/i.test(error.message)
  )
}

/** Serialisation failure or deadlock: the same transaction may run again. */
export function mayRunAgain(error: unknown): boolean {
  const code = error instanceof Error ? (error as { code?: string }).code : undefined
  return code === '40001' || code === '40P01'
}

/** Postgres refused a write, on a standby as on a server that is read-only. */
export const isRefusedWrite = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: string }).code === readOnly

export const isReadOnly = (error: unknown): boolean =>
  error instanceof Refusal && (error.cause as { code?: string } | undefined)?.code === readOnly

/** Ignores that the store takes no writes at the moment. For optional writes during a read. */
export function unlessReadOnly(error: unknown): void {
  if (!isReadOnly(error)) throw error
}

/** Whether the connection's session is not its own, and not that Postgres ended or was busy while it was asked. */
export const isUnproven = (error: unknown): boolean =>
  error instanceof Unproven && !isGone((error.cause as { code?: string }).code ?? '', error)

/**
 * Whether the connection is of no use after this error. When Postgres ends a connection, the error arrives before it
 * closes.
 */
export const endsConnection = (error: unknown): boolean =>
  error instanceof Unproven || (error instanceof Error && /^57P0\d$/.test((error as { code?: string }).code ?? ''))

/** write_statements(): something was erased since the caller looked. */
export const isErased = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: string }).code === 'LR002'

/** The cell takes no writes, because it goes to another server. Its server answers. */
export const isFenced = (error: unknown): boolean =>
  error instanceof Refusal && (error.cause as { code?: string } | undefined)?.code === fenced
