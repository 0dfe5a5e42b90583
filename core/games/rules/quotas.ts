import { quotas } from '../../../shared/limits.ts'

export type Quota = keyof typeof quotas
/** What one studio may hold. */
export type Quotas = Readonly<Record<Quota, number>>

const names = Object.keys(quotas) as Quota[]

/** The quotas of the table with what an admin changed for a studio (`studio.quotas`). */
export function effectiveQuotas(changed: Partial<Record<string, unknown>>): Quotas {
  const own = changedQuotas(changed).map(({ name, limit }) => [name, limit])
  return {
    ...Object.fromEntries(names.map((name) => [name, quotas[name].limit])),
    ...Object.fromEntries(own),
  } as Quotas
}

/** Those that an admin changed. */
export function changedQuotas(changed: Partial<Record<string, unknown>>): { name: Quota; limit: number }[] {
  const isLimit = (value: unknown): value is number =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
  return names.flatMap((name) => (isLimit(changed[name]) ? [{ name, limit: changed[name] }] : []))
}
