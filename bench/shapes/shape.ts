export interface Made {
  id: string
  /** The statement as JSON text. */
  json: string
  /** Index of the game that sends it. */
  game: number
}

/** An endless sequence of statements; the same seed gives the same sequence. */
export interface Traffic {
  next(): Made
}

export interface Shape {
  name: string
  /** How many games send. */
  games: number
  traffic(seed: number): Traffic
}
