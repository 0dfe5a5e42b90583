import type { RawRow } from '../../../process/database/wire.ts'

export interface StoredStatement {
  /** Microseconds. */
  readonly stored: number
  readonly body: Buffer
}

export interface Found {
  readonly statements: StoredStatement[]
  /** Microseconds: every statement stored at or before this time is visible. */
  readonly consistentThrough: number
}

/** Positions of the fields in a row of a read by id. */
export const fields = { current: 0, through: 1, stored: 2, body: 3 }
const yes = 't'.charCodeAt(0)

/**
 * The statements in the rows of a read; 'stale': the credential has changed.
 * @param known the watermark as it was before the read
 */
export function foundIn(rows: readonly RawRow[], known: number, at: typeof fields = fields): Found | 'stale' {
  const [first] = rows
  if (first!.bytes(at.current)![0] !== yes) return 'stale'
  const statements: StoredStatement[] = []
  for (const row of rows) {
    const stored = row.number(at.stored)
    if (stored !== null) statements.push({ stored, body: row.bytes(at.body)! })
  }
  return { statements, consistentThrough: Math.max(known, first!.number(at.through) ?? 0) }
}

/** Bytes. */
export const sizeOf = (statements: readonly StoredStatement[]) =>
  statements.reduce((sum, { body }) => sum + body.length, 0)
