/** Seven days of a game, as its overview shows them. */
export interface Week {
  readonly players: number
  readonly playersBefore: number
  /** The level at which most new players are stuck. */
  readonly stuck: { readonly name: string; readonly started: number; readonly completed: number } | undefined
  readonly needHelp: number
  /** There are more who need help. */
  readonly moreHelp: boolean
  readonly refused: number
}
