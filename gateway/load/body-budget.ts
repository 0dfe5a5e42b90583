/** Bytes of request bodies in memory, of all requests together: slow senders cannot fill the memory. */
export interface BodyBudget {
  held: number
  max: number
}
