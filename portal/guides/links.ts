import { posix, resolve } from 'node:path'
import { entries } from './contents.ts'

const names = new Map(entries.map(({ file, name }) => [file, name]))
export const root = resolve(import.meta.dirname, '..', '..')
const pictures = 'docs/screenshots/'
/** The list of guides, which is a page of its own. */
export const contents = 'docs/README.md'
export const picturesFolder = resolve(root, pictures)

/** The name of the page that shows this Markdown file; undefined: none does. */
export function nameOf(file: string): string | undefined {
  const listed = names.get(file)
  if (listed !== undefined) return listed
  return /^docs\/((?:adr\/)?[\w-]+)\.md$/.exec(file)?.[1]
}

/** The file that a link names, from the root of the repository. */
export const fileOf = (from: string, target: string): string =>
  posix.join(posix.dirname(from), decodeURI(target.split('#')[0]!))

/**
 * Where a link of a guide leads on the portal.
 * @param from the file of the guide
 * @return undefined: to a place in the source, which the portal does not show
 */
export function hrefOf(from: string, target: string): string | undefined {
  if (/^(https?:|mailto:|#)/.test(target)) return target
  if (/^[a-z][\w+.-]*:|^\//i.test(target)) return undefined
  const anchor = target.split('#')[1]
  const file = fileOf(from, target)
  if (file === contents) return '/docs'
  const name = nameOf(file)
  return name === undefined ? undefined : `/docs/${name}${anchor === undefined ? '' : `#${anchor}`}`
}

/** The address of a picture of a guide; undefined: the portal does not serve it. */
export function pictureOf(from: string, target: string): string | undefined {
  const file = posix.join(posix.dirname(from), target)
  return /^docs\/screenshots\/[\w-]+\.webp$/.test(file) ? `/docs/screenshots/${file.slice(pictures.length)}` : undefined
}
