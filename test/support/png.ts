import { crc32, deflateSync } from 'node:zlib'

/** A PNG of noise, so that it is large. @param claimed its width by its header */
export function noisyPng(width: number, height: number, claimed = width): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3))
  let noise = 1
  for (let at = 0; at < rows.length; at++) {
    noise = (noise * 48_271) % 2_147_483_647
    if (at % (1 + width * 3) !== 0) rows[at] = noise
  }
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const ends = Buffer.alloc(8)
    ends.writeUInt32BE(data.length, 0)
    ends.writeUInt32BE(crc32(body), 4)
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(claimed, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2], 8)
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts])
}
