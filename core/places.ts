import { Refusal } from './refusal.ts'

export interface PlacesOptions {
  readonly inAll: number
  readonly ofGame: number
  /** What is told to whom is refused. */
  readonly refusal: string
}

/** Bounds how much of something that takes long goes on at a time, of all games and of one. */
export function places({ inAll, ofGame, refusal }: PlacesOptions) {
  let taken = 0
  const takenOf = new Map<number, number>()
  return {
    /** Takes a place; returns what gives it back. @throws Refusal 'unavailable' */
    take(game: number): () => void {
      const own = takenOf.get(game) ?? 0
      if (taken >= inAll || own >= ofGame) throw new Refusal('unavailable', refusal)
      taken++
      takenOf.set(game, own + 1)
      return () => {
        taken--
        const left = takenOf.get(game)! - 1
        if (left === 0) takenOf.delete(game)
        else takenOf.set(game, left)
      }
    },
  }
}

export type Places = ReturnType<typeof places>
