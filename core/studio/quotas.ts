import { quotas } from '../limits.ts'

export type Quota = keyof typeof quotas
/** What one studio may hold. */
export type Quotas = Readonly<Record<Quota, number>>

const names = Object.keys(quotas) as Quota[]

/** The quotas of the table with what an admin changed for a studio (`studio.quotas`). */
export function effectiveQuotas(changed: Partial<Record<string, unknown>>): Quotas {
  const entry = (name: Quota): [Quota, number] => {
    const value = changed[name]
    return [name, typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : quotas[name].limit]
  }
  return Object.fromEntries(names.map(entry)) as Quotas
}
