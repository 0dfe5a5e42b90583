export interface Made {
  id: string
  /** The statement as JSON text. */
  json: string
  /** Which of the shape's games sends it, from 0 on. */
  game: number
}

/** A kind of traffic: without end, the same for the same seed. */
export interface Traffic {
  next(): Made
}

export interface Shape {
  name: string
  /** How many games send; the first one sends most. */
  games: number
  traffic(seed: number): Traffic
}
