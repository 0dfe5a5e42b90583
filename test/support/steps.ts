/**
 * Characters of texts that `run` looks at. Each character that a scanner reads, searches or copies is a step, and so is
 * each that JSON.parse reads. Scanners of core use only these functions on texts.
 */
export function stepsOf(run: () => unknown): number {
  let steps = 0
  const own = String.prototype
  const { charCodeAt, indexOf, includes, slice } = own
  const { parse } = JSON
  own.charCodeAt = function (this: string, at) {
    steps++
    return charCodeAt.call(this, at)
  }
  own.indexOf = function (this: string, text, from = 0) {
    const found = indexOf.call(this, text, from)
    steps += (found < 0 ? this.length : found + 1) - from
    return found
  }
  own.includes = function (this: string, text, from) {
    steps += this.length
    return includes.call(this, text, from)
  }
  own.slice = function (this: string, start, end) {
    const part = slice.call(this, start, end)
    steps += part.length
    return part
  }
  JSON.parse = (text: string, ...more): unknown => {
    steps += text.length
    return parse(text, ...more)
  }
  try {
    run()
  } finally {
    Object.assign(own, { charCodeAt, indexOf, includes, slice })
    JSON.parse = parse
  }
  return steps
}
