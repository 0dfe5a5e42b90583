import type { Quota, Quotas } from './quotas.ts'
import { comparedInBytes, quotas } from '../../../shared/limits.ts'
import { Problem } from '../../process/problem.ts'
import { hiddenIn } from '../../process/rules/hidden.ts'
import { packagingRule } from './packaging.ts'
import { ours, say } from '../../../shared/say.ts'

/** What an upload can be for. */
export const uploadKinds = {
  'browser-build': { what: 'A build', build: 'browser', size: 'build' },
  'desktop-build': { what: 'A build', build: 'desktop', size: 'build' },
  'gallery-image': { what: 'An image of the gallery', file: 'gallery', size: 'galleryImages' },
  'teaching-note': { what: 'A teaching note', file: 'teaching-note', size: 'teachingNotes' },
  logo: { what: 'A logo', size: 'logo' },
} as const satisfies Record<
  string,
  { what: string; build?: 'browser' | 'desktop'; file?: 'gallery' | 'teaching-note'; size: Quota }
>

export type UploadKind = keyof typeof uploadKinds
export type BuildKind = 'browser' | 'desktop'
export type FileKind = 'gallery' | 'teaching-note'

/** Of a kind that becomes a build; undefined: it does not. */
export const buildOf = (kind: UploadKind): BuildKind | undefined => {
  const rules = uploadKinds[kind]
  return 'build' in rules ? rules.build : undefined
}

/** Of a kind that becomes a file of the game. */
export const fileOf = (kind: UploadKind): FileKind | undefined => {
  const rules = uploadKinds[kind]
  return 'file' in rules ? rules.file : undefined
}

const longest = 200

/** The name of a file as it came from the developer's machine. @throws Problem */
export function fileName(value: string): string {
  const name = value.normalize('NFC').trim()
  const bad = (what: string) => new Problem('file_name', ours(what), packagingRule('file-name'))
  if (name === '') throw bad('must not be empty')
  if (Buffer.byteLength(name) > longest) throw bad(`must have at most ${longest} bytes`)
  if (/[\p{C}\p{Zl}\p{Zp}/\\]/u.test(name) || hiddenIn(name) !== undefined)
    throw bad('must not hold slashes, backslashes or control characters')
  if (name.startsWith('.')) throw bad('must not begin with a dot')
  return name
}

/** @throws Problem when the file is larger than its kind may be */
export function checkSize(kind: UploadKind, size: number, allowed: Quotas): void {
  const { what, size: quota } = uploadKinds[kind]
  const rule = quotas[quota]
  const most = 'each' in rule ? rule.each : allowed[quota]
  if (size === 0) throw new Problem('size', 'must not be 0: the file is empty', `limits#${quota}`)
  if (size <= most) return
  const [here, bound] = comparedInBytes(size, most)
  throw new Problem(
    'size',
    say`must be at most ${bound}: ${what.toLowerCase()} cannot be larger; this file has ${here}`,
    `limits#${quota}`,
  )
}
