/** `stored` of a statement, ISO 8601 with six fractional digits, in microseconds since 1970. */
export function microsOf(stored: string): bigint {
  const [, seconds, fraction = ''] = /^([^.]+?)(?:\.(\d+))?Z$/.exec(stored)!
  return BigInt(Date.parse(`${seconds}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0').slice(0, 6))
}

export const storedOf = (bytes: Uint8Array): string => JSON.parse(Buffer.from(bytes).toString()).stored

/** Microseconds since 1970 as ISO 8601 with six fractional digits. */
export function timeOf(micros: bigint): string {
  const [head] = new Date(Number(micros / 1_000_000n) * 1000).toISOString().split('.')
  return `${head}.${(micros % 1_000_000n).toString().padStart(6, '0')}Z`
}

/** A statement in one line: only spaces between tokens can be line feeds. */
export function lineOf(json: Uint8Array): Buffer {
  const line = Buffer.alloc(json.length + 1, '\n')
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]!
    line[at] = byte === 0x0a || byte === 0x0d ? 0x20 : byte
  }
  return line
}
