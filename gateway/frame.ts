/** What one message on the stream holds at most; core accepts 4 MiB, and a request is never above 3. */
const maxRequests = 64
const maxBytes = 4_000_000

/**
 * How many of the encoded requests, from the first on, travel in the next message.
 */
export function fitting(waiting: readonly Uint8Array[]): number {
  let bytes = 0
  let count = 0
  while (count < waiting.length && count < maxRequests) {
    bytes += waiting[count]!.length
    if (count > 0 && bytes > maxBytes) break
    count++
  }
  return count
}

/** The bytes of an ExchangeRequest whose entries are encoded already: field 1, length-delimited, for each. */
export function frameOf(requests: readonly Uint8Array[]): Buffer {
  let size = 0
  for (const { length } of requests) size += 1 + varintSize(length) + length
  const frame = Buffer.allocUnsafe(size)
  let at = 0
  for (const request of requests) {
    frame[at++] = 0x0a
    let rest = request.length
    for (; rest > 0x7f; rest >>>= 7) frame[at++] = (rest & 0x7f) | 0x80
    frame[at++] = rest
    frame.set(request, at)
    at += request.length
  }
  return frame
}

function varintSize(value: number): number {
  let size = 1
  for (let rest = value; rest > 0x7f; rest >>>= 7) size++
  return size
}
