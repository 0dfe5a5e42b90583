/** Whom a call is for. */
export interface Caller {
  /** The Authorization header. */
  authorization: string
  /** The X-Experience-API-Version header. */
  version: string
  requestId: string
  /** Method, path and agent: requests of one caller that say the same here count in the same limit. */
  limitKey?: string
}
