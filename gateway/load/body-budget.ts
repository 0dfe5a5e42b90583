/** Bytes of bodies that are in memory, over all requests: slow senders cannot fill it. */
export interface BodyBudget {
  held: number
  max: number
}
