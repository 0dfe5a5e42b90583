import { expect, test } from 'vitest'
import { chosen } from './compress.ts'

const MiB = 1024 * 1024
const file = (name: string, size: number) => ({ name, size, start: 0, packed: size, deflated: false, crc: 0 })

test.each<[what: string, sizes: [name: string, bytes: number][], names: string[], quality: number]>([
  [
    'small builds get the best quality',
    [
      ['a.js', MiB],
      ['b.wasm', MiB],
    ],
    ['a.js', 'b.wasm'],
    11,
  ],
  ['large ones get one that ends soon', [['a.wasm', 33 * MiB]], ['a.wasm'], 6],
  [
    'tiny and huge files are left',
    [
      ['a.js', 1023],
      ['b.data', 64 * MiB + 1],
      ['c.js', 1024],
    ],
    ['c.js'],
    11,
  ],
  [
    'other types are left',
    [
      ['a.png', MiB],
      ['b.js.br', MiB],
      ['c.pck.gz', MiB],
      ['d.ogg', MiB],
    ],
    [],
    11,
  ],
  [
    '512 MiB of a build',
    Array.from({ length: 9 }, (_, n) => [`${n}.pck`, 64 * MiB]),
    Array.from({ length: 8 }, (_, n) => `${n}.pck`),
    6,
  ],
])('%s', (_, sizes, names, quality) => {
  const found = chosen(sizes.map(([name, size]) => file(name, size)))
  expect([found.files.map(({ name }) => name), found.quality]).toEqual([names, quality])
})
