import { comparedInBytes, quotas } from '../../../shared/limits.ts'
import { Problem } from '../../process/problem.ts'
import { hiddenIn } from '../../process/rules/hidden.ts'
import { packagingRule } from './packaging.ts'
import type { Quotas } from './quotas.ts'
import { uploadKinds, type UploadKind } from './upload-kinds.ts'
import { ours, say } from '../../../shared/say.ts'

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

/** @throws Problem when a file of this kind cannot have so many bytes */
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
