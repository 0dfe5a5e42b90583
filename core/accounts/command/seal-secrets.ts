import { SealError } from '../access/sealed.ts'
import type { Core } from '../../context.ts'
import { sealedColumns, type SealedColumn } from '../store/sealed-values.ts'

export interface Sealed {
  /** Values that the first key has sealed now. */
  readonly sealed: number
  /** Values that it had sealed before. */
  readonly kept: number
  /** Values that no key opens, for instance `totp.secret of row 7`. */
  readonly unreadable: readonly string[]
}

/** Seals every value again that another key than the first of LRS_SECRET_KEYS sealed, so that the others can go. */
export async function sealSecrets(
  { store, sealer }: Pick<Core, 'store' | 'sealer'>,
  columns: readonly SealedColumn[] = sealedColumns,
): Promise<Sealed> {
  let [sealed, kept] = [0, 0]
  const unreadable: string[] = []
  for (const one of columns) {
    const { table, column } = one
    for (const value of await store.sealedValues.of(one)) {
      const place = { table, column, row: value.row }
      try {
        const plain = sealer.open(place, value.sealed)
        if (sealer.isOfFirst(value.sealed)) kept++
        // a value that has changed meanwhile was sealed by a core of these keys
        else if (await store.sealedValues.replace(one, value, sealer.seal(place, plain))) sealed++
        else kept++
      } catch (error) {
        if (!(error instanceof SealError)) throw error
        unreadable.push(`${table}.${column} of row ${value.row}`)
      }
    }
  }
  return { sealed, kept, unreadable }
}
