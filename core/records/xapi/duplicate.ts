import { at as dot, within } from './values.ts'
import { endOfString, stringOf } from './spans.ts'

interface Level {
  /** The keys so far; an array has none. */
  keys?: Set<string>
  /** The next string is a key. */
  expectsKey: boolean
  /** The last step of the path to the current value: a key, or the index of an element. */
  step: string | number
}

/** The path of the first duplicate key; `text` is valid JSON that has one. One pass. */
export function duplicateKey(text: string, list: string): string {
  const levels: Level[] = []
  let level: Level | undefined
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"': {
        const end = endOfString(text, at)
        if (level?.keys && level.expectsKey) {
          const key = stringOf(text, at, end + 1)
          level.step = key
          if (level.keys.has(key)) return pathOf(levels, list)
          level.keys.add(key)
          level.expectsKey = false
        }
        at = end
        break
      }
      case '{':
        levels.push((level = { keys: new Set(), expectsKey: true, step: '' }))
        break
      case '[':
        levels.push((level = { expectsKey: false, step: 0 }))
        break
      case ',':
        if (level?.keys) level.expectsKey = true
        else if (level) level.step = (level.step as number) + 1
        break
      case '}':
      case ']':
        levels.pop()
        level = levels.at(-1)
    }
  }
  return ''
}

function pathOf(levels: Level[], list: string): string {
  let path = levels[0]?.keys ? '' : list
  for (const { step } of levels) {
    path = typeof step === 'number' || /^[A-Za-z]\w{0,99}$/.test(step) ? dot(path, step) : within(path, step)
  }
  return path
}
