import { deflateRawSync } from 'node:zlib'
import { rawZip, zip64Extra, type RawEntry } from '../../support/zip.ts'

/** A zip that has to be refused: with which rule, and which entry is named (none: the file). */
export interface HostileZip {
  readonly what: string
  readonly zip: () => Buffer
  readonly rule: string
  readonly entry?: string
}

/** Noise, the same every time: it cannot be compressed. */
export function noise(length: number): Buffer {
  let seed = 1
  return Buffer.from(
    Uint8Array.from({ length }, () => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) >>> 24),
  )
}

const index: RawEntry = { name: 'index.html', content: '<!doctype html><title>Quiz</title>' }
const withEntry =
  (entry: RawEntry, ...more: RawEntry[]) =>
  () =>
    rawZip([index, entry, ...more])
const named = (name: string | Buffer) => withEntry({ name, content: 'x' })
const million = Buffer.alloc(1_000_000)

export const hostileZips: readonly HostileZip[] = [
  // paths
  { what: 'a path that leaves the folder', zip: named('../evil.js'), rule: 'path', entry: '../evil.js' },
  { what: 'one that leaves it in the middle', zip: named('a/../../evil.js'), rule: 'path', entry: 'a/../../evil.js' },
  { what: 'an absolute path', zip: named('/etc/passwd'), rule: 'path', entry: '/etc/passwd' },
  { what: 'a drive letter', zip: named('C:/evil.js'), rule: 'path', entry: 'C:/evil.js' },
  { what: 'backslashes', zip: named('..\\evil.js'), rule: 'path', entry: '..\\evil.js' },
  { what: 'an empty part', zip: named('a//b.js'), rule: 'path', entry: 'a//b.js' },
  { what: 'an empty name', zip: named(''), rule: 'path', entry: '' },
  { what: 'the folder itself', zip: named('./'), rule: 'path', entry: './' },
  // names
  { what: 'NUL in a name', zip: named('evil\0.js'), rule: 'name', entry: 'evil\\u{0}.js' },
  { what: 'a line break in a name', zip: named('a\r\nb.js'), rule: 'name', entry: 'a\\u{d}\\u{a}b.js' },
  { what: 'a name that is no UTF-8', zip: named(Buffer.from('c3289f2e6a73', 'hex')), rule: 'name' },
  {
    what: 'a part that is too long',
    zip: named('x'.repeat(256)),
    rule: 'name',
    entry: `${'x'.repeat(100)}…${'x'.repeat(60)}`,
  },
  { what: 'a path that is too long', zip: named(`${'abcdefghi/'.repeat(90)}x`), rule: 'name' },
  { what: 'a path that is too deep', zip: named(`${'a/'.repeat(33)}x`), rule: 'name' },
  {
    what: 'a second name in an extra field',
    zip: withEntry({
      name: 'a.js',
      says: { extra: Buffer.concat([Buffer.from('75700c0001', 'hex'), Buffer.alloc(4), Buffer.from('../evil')]) },
    }),
    rule: 'name',
    entry: 'a.js',
  },
  {
    what: 'a second name behind one that is the same',
    zip: withEntry({
      name: 'a.js',
      says: {
        extra: Buffer.concat([
          Buffer.from('7570090001', 'hex'),
          Buffer.alloc(4),
          Buffer.from('a.js'),
          Buffer.from('75700c0001', 'hex'),
          Buffer.alloc(4),
          Buffer.from('../evil'),
        ]),
      },
    }),
    rule: 'name',
    entry: 'a.js',
  },
  // what is no file
  {
    what: 'a symbolic link',
    zip: withEntry({ name: 'link', content: '/etc/passwd', mode: 0o120777 }),
    rule: 'symlink',
    entry: 'link',
  },
  { what: 'a device', zip: withEntry({ name: 'null', mode: 0o020666 }), rule: 'special', entry: 'null' },
  { what: 'a pipe', zip: withEntry({ name: 'pipe', mode: 0o010666 }), rule: 'special', entry: 'pipe' },
  {
    what: 'a folder called like a file',
    zip: withEntry({ name: 'folder', mode: 0o040755 }),
    rule: 'special',
    entry: 'folder',
  },
  { what: 'a folder with content', zip: withEntry({ name: 'folder/', content: 'x' }), rule: 'sizes', entry: 'folder' },
  // names that meet
  {
    what: 'a name twice',
    zip: withEntry({ name: 'a.js', content: '1' }, { name: 'a.js', content: '2' }),
    rule: 'duplicate',
    entry: 'a.js',
  },
  { what: 'index.html twice', zip: withEntry(index), rule: 'duplicate', entry: 'index.html' },
  {
    what: 'names that differ in case',
    zip: withEntry({ name: 'a.js' }, { name: 'A.js' }),
    rule: 'collision',
    entry: 'A.js',
  },
  {
    what: 'names whose only capital has no way back',
    zip: withEntry({ name: 'stra\u00dfe.js' }, { name: 'stra\u1e9ee.js' }),
    rule: 'collision',
    entry: 'stra\u1e9ee.js',
  },
  {
    what: 'folders that differ in case',
    zip: withEntry({ name: 'img/a.png' }, { name: 'Img/b.png' }),
    rule: 'collision',
    entry: 'Img/b.png',
  },
  {
    what: 'names that differ in their Unicode form',
    zip: withEntry({ name: 'caf\u00e9.js' }, { name: 'cafe\u0301.js' }),
    rule: 'collision',
    entry: 'cafe\u0301.js',
  },
  {
    what: 'a file that is a folder too',
    zip: withEntry({ name: 'a' }, { name: 'a/b.js' }),
    rule: 'collision',
    entry: 'a/b.js',
  },
  {
    what: 'a folder that is a file too',
    zip: withEntry({ name: 'a/b.js' }, { name: 'a' }),
    rule: 'collision',
    entry: 'a',
  },
  // what is told beside the name, of all entries at once in memory
  {
    what: 'an extra field of 3 KB',
    zip: withEntry({
      name: 'a.js',
      says: { extra: Buffer.concat([Buffer.from('9999fc0b', 'hex'), Buffer.alloc(3068)]) },
    }),
    rule: 'zip',
    entry: 'a.js',
  },
  {
    what: 'a hundred extra fields',
    zip: withEntry({ name: 'a.js', says: { extra: Buffer.from('99990000'.repeat(100), 'hex') } }),
    rule: 'zip',
    entry: 'a.js',
  },
  // bytes that are shared
  {
    what: 'entries that share a local header',
    zip: () =>
      rawZip([
        index,
        ...Array.from({ length: 1_999 }, (_, n): RawEntry => ({
          name: `f${String(n).padStart(9, '0')}`,
          content: index.content!,
          shares: 0,
        })),
      ]),
    rule: 'overlap',
  },
  { what: '1,999 entries that share one of 900 bytes', zip: () => sharedBomb(900), rule: 'overlap' },
  { what: '1,999 entries that share one of 5 MB', zip: () => sharedBomb(5_000_000), rule: 'expansion' },
  { what: 'entries that overlap', zip: () => nested(), rule: 'overlap', entry: 'inner' },
  {
    what: 'an entry in the directory',
    zip: () => rawZip([index, { name: 'a', says: { packed: 2_000, size: 2_000 }, method: 0, content: 'x' }]),
    rule: 'overlap',
    entry: 'a',
  },
  {
    what: 'an entry behind the end of the file',
    zip: () => rawZip([index, { name: 'a', says: { offset: 0x7fffffff } }]),
    rule: 'overlap',
    entry: 'a',
  },
  // lies
  {
    what: 'less content than it says',
    zip: withEntry({ name: 'a', content: 'four', says: { size: 5 } }),
    rule: 'sizes',
    entry: 'a',
  },
  {
    what: 'more content than it says',
    zip: withEntry({ name: 'a', content: million, says: { size: 40 } }),
    rule: 'sizes',
    entry: 'a',
  },
  {
    what: 'far more content than it says, too large for memory',
    zip: withEntry({ name: 'a', content: Buffer.alloc(40_000_000, 'abcd'), says: { size: 2_000_000 } }),
    rule: 'sizes',
    entry: 'a',
  },
  {
    what: 'a wrong checksum',
    zip: withEntry({ name: 'a', content: 'x', says: { crc: 1 } }),
    rule: 'sizes',
    entry: 'a',
  },
  {
    what: 'a wrong checksum of a large file',
    zip: withEntry({ name: 'a', content: noise(2_000_000), says: { crc: 1 } }),
    rule: 'sizes',
    entry: 'a',
  },
  {
    what: 'data that cannot be inflated',
    zip: withEntry({ name: 'a', content: 'x', data: Buffer.from('ffffffff', 'hex') }),
    rule: 'sizes',
    entry: 'a',
  },
  {
    what: 'data behind the end of what is inflated',
    zip: withEntry({ name: 'a', content: 'x', data: Buffer.concat([deflateRawSync('x'), Buffer.from('hidden')]) }),
    rule: 'sizes',
    entry: 'a',
  },
  {
    what: 'a stored entry of two sizes',
    zip: withEntry({ name: 'a', content: 'four', method: 0, says: { size: 5 } }),
    rule: 'sizes',
    entry: 'a',
  },
  {
    what: 'another name before the data',
    zip: withEntry({ name: 'a', content: 'x', local: { name: 'b' } }),
    rule: 'sizes',
    entry: 'a',
  },
  {
    what: 'another size before the data',
    zip: withEntry({ name: 'a', content: 'x', local: { size: 7 } }),
    rule: 'sizes',
    entry: 'a',
  },
  {
    what: 'no local header where it says',
    zip: () => rawZip([index, { name: 'a', says: { offset: 10, packed: 0, size: 0 }, method: 0 }]),
    rule: 'overlap',
  },
  // zip64
  {
    what: 'zip64 with a size of 2^60',
    zip: withEntry({ name: 'a', content: 'x', says: { size: 0xffffffff, extra: zip64Extra(2 ** 60) } }),
    rule: 'sizes',
    entry: 'a',
  },
  {
    what: 'zip64 with two sizes',
    zip: withEntry({
      name: 'a',
      content: 'x',
      says: { size: 0xffffffff, extra: Buffer.concat([zip64Extra(1), zip64Extra(2)]) },
    }),
    rule: 'sizes',
    entry: 'a',
  },
  {
    what: 'zip64 without the size that it announces',
    zip: withEntry({ name: 'a', content: 'x', says: { size: 0xffffffff } }),
    rule: 'ratio',
    entry: 'a',
  },
  {
    what: 'zip64 with another size before the data',
    zip: withEntry({
      name: 'a',
      content: 'x',
      local: { size: 0xffffffff, packed: 0xffffffff, extra: zip64Extra(9, 9) },
    }),
    rule: 'sizes',
    entry: 'a',
  },
  {
    what: 'zip64 with fewer entries',
    zip: () => rawZip([index, { name: 'a' }], { zip64: { entries: 1 } }),
    rule: 'zip',
  },
  {
    what: 'zip64 with another directory',
    zip: () => rawZip([index, { name: 'a' }], { start: 0xffffffff, zip64: { start: 0 } }),
    rule: 'zip',
  },
  { what: 'zip64 at another place', zip: () => rawZip([index], { zip64: { locator: 0 } }), rule: 'zip' },
  {
    what: 'zip64 with 2^53 entries',
    zip: () => rawZip([index], { entries: 0xffff, zip64: { entries: 2 ** 53 - 1 } }),
    rule: 'entries',
  },
  // sizes
  { what: 'more than 100:1', zip: withEntry({ name: 'zeros', content: million }), rule: 'ratio', entry: 'zeros' },
  {
    what: 'content from nothing',
    zip: withEntry({ name: 'a', content: 'x', says: { packed: 0 } }),
    rule: 'ratio',
    entry: 'a',
  },
  {
    what: '10,001 entries',
    zip: () => rawZip([index, ...Array.from({ length: 10_000 }, (_, n): RawEntry => ({ name: `f${n}`, method: 0 }))]),
    rule: 'entries',
  },
  {
    what: '10,001 entries, folders included',
    zip: () => rawZip([index, ...Array.from({ length: 10_000 }, (_, n): RawEntry => ({ name: `f${n}/`, method: 0 }))]),
    rule: 'entries',
  },
  {
    what: '65,537 entries, of which the end counts one',
    zip: () => rawZip([index, ...Array.from({ length: 65_536 }, (_, n): RawEntry => ({ name: `f${n}`, method: 0 }))]),
    rule: 'zip',
  },
  { what: 'fewer entries than there are', zip: () => rawZip([index, { name: 'a' }], { entries: 1 }), rule: 'zip' },
  { what: 'more entries than there are', zip: () => rawZip([index, { name: 'a' }], { entries: 3 }), rule: 'zip' },
  {
    what: 'all files together over the bound',
    zip: () =>
      rawZip([
        index,
        ...['a', 'b', 'c', 'd'].map((name): RawEntry => ({
          name,
          content: Buffer.alloc(90_000, 'ab'),
          says: { size: 4_000_000, packed: 40_000 },
        })),
      ]),
    rule: 'expansion',
  },
  // what cannot be read
  {
    what: 'an encrypted entry',
    zip: withEntry({ name: 'a', content: 'x', flags: 0x801 }),
    rule: 'encrypted',
    entry: 'a',
  },
  { what: 'strong encryption', zip: withEntry({ name: 'a', content: 'x', flags: 0x841 }), rule: 'encrypted' },
  {
    what: 'an unknown compression',
    zip: withEntry({ name: 'a', content: 'x', method: 12 }),
    rule: 'compression',
    entry: 'a',
  },
  // no zip
  { what: 'nothing that is a zip', zip: () => Buffer.from('<!doctype html>'.repeat(10)), rule: 'zip' },
  { what: 'one byte', zip: () => Buffer.from('P'), rule: 'zip' },
  { what: 'a zip that is cut', zip: () => rawZip([index, { name: 'a', content: 'x' }]).subarray(0, -30), rule: 'zip' },
  {
    what: 'a zip that is cut at its begin',
    zip: () => rawZip([index, { name: 'a', content: 'x' }]).subarray(30),
    rule: 'zip',
  },
  { what: 'something behind the end', zip: () => rawZip([index], { behind: 'x' }), rule: 'zip' },
  {
    what: 'a second end in the comment',
    zip: () =>
      rawZip([index], {
        comment: rawZip([{ name: 'evil' }])
          .subarray(-22)
          .toString('latin1'),
      }),
    rule: 'zip',
  },
  { what: 'a zip without entries', zip: () => rawZip([]), rule: 'index' },
  // index.html
  { what: 'no index.html', zip: () => rawZip([{ name: 'game.js' }]), rule: 'index' },
  { what: 'index.html in a folder', zip: () => rawZip([{ name: 'game/index.html' }]), rule: 'index' },
  { what: 'Index.html', zip: () => rawZip([{ name: 'Index.html' }]), rule: 'index' },
  { what: 'a folder called index.html', zip: () => rawZip([{ name: 'index.html/' }]), rule: 'index' },
]

/** 2,000 entries that are one: each within 100:1, all together as large as `size` times 1,999. */
function sharedBomb(size: number): Buffer {
  const content = Buffer.concat([Buffer.alloc(size), noise(Math.ceil(size / 90))])
  const says = { size: content.length, packed: deflateRawSync(content).length }
  const more = Array.from({ length: 1_998 }, (_, n): RawEntry => ({
    name: `bomb${String(n + 1).padStart(5, '0')}`,
    shares: 1,
    says,
  }))
  return rawZip([index, { name: 'bomb00000', content }, ...more])
}

/** An entry whose data are another entry. */
function nested(): Buffer {
  const inner = rawZip([{ name: 'inner', content: 'x', method: 0 }]).subarray(0, 30 + 5 + 1)
  const indexBytes = rawZip([index]).readUInt32LE(18) + 30 + 10
  return rawZip([
    index,
    { name: 'outer', content: inner, method: 0 },
    { name: 'inner', content: 'x', method: 0, shares: 0, says: { offset: indexBytes + 30 + 5 } },
  ])
}
