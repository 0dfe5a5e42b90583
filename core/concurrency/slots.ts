import { Refusal } from '../refusal.ts'

export interface PlacesOptions {
  readonly inAll: number
  readonly ofOne: number
  /** What is told to whom is refused. */
  readonly refusal: string
}

/** Bounds how much of something that takes long goes on at a time, of all and of one, such as a game. */
export function places({ inAll, ofOne, refusal }: PlacesOptions) {
  let taken = 0
  const takenOf = new Map<number | string, number>()
  return {
    /** Takes a place; returns what gives it back. @throws Refusal 'unavailable' */
    take(one: number | string): () => void {
      const own = takenOf.get(one) ?? 0
      if (taken >= inAll || own >= ofOne) throw new Refusal('unavailable', refusal)
      taken++
      takenOf.set(one, own + 1)
      return () => {
        taken--
        const left = takenOf.get(one)! - 1
        if (left === 0) takenOf.delete(one)
        else takenOf.set(one, left)
      }
    },
  }
}

export type Places = ReturnType<typeof places>
