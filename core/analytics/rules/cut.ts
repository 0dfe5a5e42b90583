import { cuts } from '../../../shared/limits.ts'
import { firstCutValue } from '../../../shared/result-address.ts'
import { storable } from '../../process/rules/storable.ts'
import { activityKey } from '../../records/xapi/identify.ts'
import type { Statement } from '../../records/xapi/types.ts'
import { isIri } from '../../records/xapi/values.ts'

/** Values of a game's cut are counted as builds are, under numbers that no build has. */
export const notTold = firstCutValue
export const otherValues = firstCutValue + 1
const firstNumber = firstCutValue + 2
const numbers = 2 ** 29

/** Whether a game can be cut by this. */
export const isCut = (cut: string): boolean =>
  ['language', 'platform'].includes(cut) || (cut.length <= cuts.iri && isIri(cut))

/** What a statement tells; undefined: nothing that can be counted. */
export function cutValueOf({ context, result }: Statement, cut: string): string | undefined {
  const isOfContext = cut === 'language' || cut === 'platform'
  const value: unknown = isOfContext ? context?.[cut] : (context?.extensions?.[cut] ?? result?.extensions?.[cut])
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  return typeof text === 'string' && text !== '' ? storable(text, cuts.characters) : undefined
}

/**
 * The number of a value: of its hash, so that an address keeps its meaning when all is counted again.
 * @param known values by their numbers; it is added to these
 */
export function numberOfValue(known: Map<number, string>, cut: string, value: string | undefined): number {
  if (value === undefined) return notTold
  const hash = Number.parseInt(activityKey(`${cut} ${value}`).slice(0, 8), 16)
  let number = firstNumber + (hash % numbers)
  while ((known.get(number) ?? value) !== value) number++
  if (!known.has(number) && known.size >= cuts.values) return otherValues
  known.set(number, value)
  return number
}
