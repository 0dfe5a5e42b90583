/** A box of the ISO base media file format, as in AVIF. */
export interface Box {
  readonly kind: string
  /** The whole box, and what it holds. */
  readonly start: number
  readonly content: number
  readonly end: number
}

/** Thrown when boxes do not fit into each other. */
export class BadBoxes extends Error {}

/** The boxes between two places, one after the other. @throws BadBoxes, RangeError */
export function* boxesOf(bytes: Buffer, from: number, to: number): Generator<Box> {
  for (let start = from; start < to;) {
    const size = bytes.readUInt32BE(start)
    const content = start + (size === 1 ? 16 : 8)
    // 0: up to the end; 1: the size follows, in 64 bits
    const end = size === 0 ? to : start + (size === 1 ? Number(bytes.readBigUInt64BE(start + 8)) : size)
    if (content > end || end > to) throw new BadBoxes()
    yield { kind: bytes.toString('latin1', start + 4, start + 8), start, content, end }
    start = end
  }
}

/** The only box of a kind; undefined: there is none. @throws BadBoxes when there are two */
export function onlyBox(bytes: Buffer, from: number, to: number, kind: string): Box | undefined {
  const found = [...boxesOf(bytes, from, to)].filter((box) => box.kind === kind)
  if (found.length > 1) throw new BadBoxes()
  return found[0]
}

/** Where boxes with versions have their content: behind version and flags. */
export const versioned = 4
