/** Of who takes back what was asked, or breaks the rules of HTTP/2, little is borne. */
export const http2Bounds = {
  streamResetBurst: 100,
  streamResetRate: 20,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
}
