import { encode } from 'uqr'
import { expect, test } from 'vitest'
import { qrCode } from './sheet.ts'

test('the SVG has the modules of the code, in little room', async () => {
  const address = 'https://games.example.org/i/K7QM-4XTR-9HPA-2BCD'
  const { text } = await qrCode(address, 'QR code')
  const { data, size } = encode(address, { ecc: 'M', border: 2 })
  const drawn = Array.from({ length: size }, () => Array<boolean>(size).fill(false))
  let [x, y] = [0, 0]
  for (const [, kind, across, down, run] of /stroke="#000" d="([^"]+)"/
    .exec(text)![1]!
    .matchAll(/([Mm])([-\d.]+) ([-\d.]+)h(\d+)/g)) {
    ;[x, y] = kind === 'M' ? [Number(across), Math.floor(Number(down))] : [x + Number(across), y]
    for (let n = 0; n < Number(run); n++) drawn[y]![x++] = true
  }
  expect(drawn).toEqual(data)
  expect(text.length).toBeLessThan(3_000)
})
