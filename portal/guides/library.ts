import { existsSync, globSync, openSync, readFileSync, readSync, closeSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as immediate } from 'node:timers/promises'
import { entries, isGuide, presentIn, sections } from './contents.ts'
import { nameOf, picturesFolder, root } from './links.ts'
import { renderGuide, type Guide, type Size } from './markdown.ts'
import { GuideSearch, type Place } from './search.ts'

/** All guides, made of their Markdown files once, and their search. */
export interface Library {
  readonly guides: ReadonlyMap<string, Guide>
  readonly search: GuideSearch
}

let made: Promise<Library> | undefined

/** The first call takes about 0.3 s of the processor; other requests are served in between. */
export const library = (): Promise<Library> => (made ??= read())

async function read(): Promise<Library> {
  const decisions = globSync('docs/adr/0*.md', { cwd: root }).sort()
  const texts = new Map(
    [...entries.map(({ file }) => file), ...decisions]
      .filter((file) => existsSync(join(root, file)))
      .map((file) => [file, readFileSync(join(root, file), 'utf8')]),
  )
  const titleOf = (file: string) => /^# (.+)$/m.exec(texts.get(file) ?? '')?.[1]
  const guides = new Map<string, Guide>()
  for (const [file, text] of texts) {
    guides.set(nameOf(file)!, renderGuide(file, text, { sizeOf, titleOf }))
    await immediate()
  }
  return { guides, search: await GuideSearch.over(placesOf(guides)) }
}

/** What can be found: the passages of the guides in the list, and the pages of the portal beside them. */
const placesOf = (guides: ReadonlyMap<string, Guide>): Place[] =>
  sections.flatMap((section) =>
    presentIn(section, guides).flatMap((entry) => {
      const { weight = 1 } = section
      if (!isGuide(entry)) {
        const { href, title, about } = entry
        return [{ href, title, weight, text: title, anchor: '', depth: 1, words: about }]
      }
      const { title, passages } = guides.get(entry.name)!
      const page = `/docs/${entry.name}`
      return passages.map((one) => ({ ...one, title, weight, href: one.depth === 1 ? page : `${page}#${one.anchor}` }))
    }),
  )

/** Width and height of a WebP as Chromium makes it (VP8) are in its first bytes. */
function sizeOf(address: string): Size | undefined {
  const start = Buffer.alloc(30)
  try {
    const file = openSync(join(picturesFolder, address.slice('/docs/screenshots/'.length)), 'r')
    readSync(file, start)
    closeSync(file)
    return { width: start.readUInt16LE(26) & 0x3fff, height: start.readUInt16LE(28) & 0x3fff }
  } catch {
    return undefined
  }
}
