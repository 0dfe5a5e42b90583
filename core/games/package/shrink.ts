/** RGBA, row by row. */
export interface Pixels {
  readonly data: Uint8ClampedArray
  readonly width: number
  readonly height: number
}

/** The picture with a smaller width: each new pixel is the mean of those that it covers, weighted by their opacity. */
export function shrink({ data, width, height }: Pixels, to: number): Pixels {
  const rows = Math.max(1, Math.round((height * to) / width))
  const small = new Uint8ClampedArray(to * rows * 4)
  for (let y = 0; y < rows; y++) {
    const [top, bottom] = covered(y, rows, height)
    for (let x = 0; x < to; x++) {
      const [left, right] = covered(x, to, width)
      let [red, green, blue, alpha] = [0, 0, 0, 0]
      for (let row = top; row < bottom; row++)
        for (let at = (row * width + left) * 4, end = (row * width + right) * 4; at < end; at += 4) {
          const opacity = data[at + 3]!
          red += data[at]! * opacity
          green += data[at + 1]! * opacity
          blue += data[at + 2]! * opacity
          alpha += opacity
        }
      const mean = alpha === 0 ? [0, 0, 0] : [red / alpha, green / alpha, blue / alpha]
      small.set([...mean, alpha / ((bottom - top) * (right - left))], (y * to + x) * 4)
    }
  }
  return { data: small, width: to, height: rows }
}

/** The pixels of `all` that pixel `at` of `count` covers: one at least. */
function covered(at: number, count: number, all: number): [from: number, to: number] {
  const from = Math.min(all - 1, Math.floor((at * all) / count))
  return [from, Math.min(all, Math.max(from + 1, Math.floor(((at + 1) * all) / count)))]
}
