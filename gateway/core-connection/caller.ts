/** The client on whose behalf the gateway calls core. */
export interface Caller {
  /** The Authorization header. */
  authorization: string
  /** The X-Experience-API-Version header. */
  version: string
  requestId: string
  /** Method, path and agent: requests of one caller with the same key count in the same rate limit. */
  limitKey?: string
}
