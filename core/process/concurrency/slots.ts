import { Refusal } from '../refusal.ts'
import { ours } from '../../../shared/say.ts'

export interface SlotsOptions {
  readonly inAll: number
  readonly ofOne: number
  /** Text of the refusal. */
  readonly refusal: string
}

/** Limits how many long tasks run at a time: of all owners, and of one owner, such as a game. */
export function slots({ inAll, ofOne, refusal }: SlotsOptions) {
  let taken = 0
  const takenOf = new Map<number | string, number>()
  return {
    /** Takes a slot. Returns the function that releases it. @throws Refusal 'unavailable' */
    take(owner: number | string): () => void {
      const own = takenOf.get(owner) ?? 0
      if (taken >= inAll || own >= ofOne) throw new Refusal('unavailable', ours(refusal))
      taken++
      takenOf.set(owner, own + 1)
      return () => {
        taken--
        const left = takenOf.get(owner)! - 1
        if (left === 0) takenOf.delete(owner)
        else takenOf.set(owner, left)
      }
    },
  }
}

export type Slots = ReturnType<typeof slots>
