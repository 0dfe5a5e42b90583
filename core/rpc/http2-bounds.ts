/** Low bounds for clients that cancel their requests or break the rules of HTTP/2. */
export const http2Bounds = {
  streamResetBurst: 100,
  streamResetRate: 20,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
}
