/** The client on whose behalf the gateway calls core. */
export interface Caller {
  /** The Authorization header. */
  authorization: string
  /** The name that core has given to the caller, by which it has its share; '': core has not accepted it yet. */
  name: string
  /** Network address of the client; empty once it has a name. */
  address: string
  /** The X-Experience-API-Version header. */
  version: string
  requestId: string
  /** Method, path and agent: requests of one caller with the same key count in the same rate limit. */
  limitKey?: string
}
