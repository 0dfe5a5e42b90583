import { hiddenIn } from '../../process/rules/hidden.ts'
import { nameBounds, packagingRule, type PackagingRule } from '../rules/packaging.ts'
import { Problem } from '../../process/problem.ts'
import { said, type Said } from '../../../shared/say.ts'

/** A text from outside as people may see it: bounded, with whatever is invisible escaped. */
export function shown(text: string): string {
  const escaped = text.slice(0, 1_000).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (c) => `\\u{${c.codePointAt(0)!.toString(16)}}`)
  return escaped.length <= 200 ? escaped : `${escaped.slice(0, 100)}…${escaped.slice(-60)}`
}

/** What is wrong with an entry, or with the package as a whole: then `name` is the name of its file. */
export const refused = (name: string, what: string | Said, rule: PackagingRule) =>
  new Problem(shown(name), said(what), packagingRule(rule))

/** The name of an entry as it stands in the zip; of folders without the / at its end. @throws Problem */
export function entryName(raw: Buffer): { name: string; folder: boolean } {
  const loose = raw.toString('utf8')
  const bad = (what: string | Said, rule: PackagingRule) => refused(loose, what, rule)
  if (raw.length > nameBounds.pathBytes)
    throw bad(`must have at most ${nameBounds.pathBytes} bytes in its path`, 'name')
  if (!Buffer.from(loose).equals(raw)) throw bad('must have a name in UTF-8', 'name')
  if (/[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/.test(loose))
    throw bad('must not have control characters in its name', 'name')
  const hidden = hiddenIn(loose)
  if (hidden !== undefined) throw bad(`must not have invisible characters in its name, such as ${hidden}`, 'name')
  if (loose.includes('\\')) throw bad('must not have a backslash in its name: the separator is /', 'path')
  if (/^(\/|[a-z]:)/i.test(loose)) throw bad('must be a relative path: it begins with / or a drive letter', 'path')
  const folder = loose.endsWith('/')
  const name = folder ? loose.slice(0, -1) : loose
  const parts = name.split('/')
  if (parts.some((part) => part === '' || part === '.' || part === '..'))
    throw bad('must not have parts that are empty, . or .. in its path', 'path')
  if (parts.length > nameBounds.levels) throw bad(`must not lie deeper than ${nameBounds.levels} levels`, 'name')
  if (parts.some((part) => Buffer.byteLength(part) > nameBounds.segmentBytes)) {
    throw bad(`must have at most ${nameBounds.segmentBytes} bytes in each part of its path`, 'name')
  }
  return { name, folder }
}

/** As a file system sees it that knows neither case nor Unicode forms. */
const fold = (name: string) => name.normalize('NFC').toLowerCase().toUpperCase().toLowerCase().normalize('NFC')

/** Takes the names of all entries one after the other. */
export function distinctNames() {
  const seen = new Map<string, { name: string; kind: 'file' | 'folder'; listed: boolean }>()
  return {
    /** @throws Problem when it is there already, or would be on some machine */
    add(name: string, folder: boolean): void {
      const kind = folder ? 'folder' : 'file'
      for (let slash = name.indexOf('/'); slash !== -1; slash = name.indexOf('/', slash + 1))
        see(name.slice(0, slash), 'folder', false, name)
      see(name, kind, true, name)
    },
  }

  function see(name: string, kind: 'file' | 'folder', listed: boolean, entry: string): void {
    const folded = fold(name)
    const other = seen.get(folded)
    if (!other) return void seen.set(folded, { name, kind, listed })
    if (other.name !== name)
      throw refused(
        entry,
        `must differ from ${shown(other.name)} by more than case or the form of its letters`,
        'collision',
      )
    if (other.kind !== kind) throw refused(entry, `must not make ${shown(name)} both a file and a folder`, 'collision')
    if (listed && other.listed) throw refused(entry, 'must be in the zip only once', 'duplicate')
    other.listed ||= listed
  }
}
