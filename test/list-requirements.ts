// Writes which test holds which requirement into docs/conformance.md: `node start/bootstrap.mjs test/list-requirements.ts`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const document = join(root, 'docs', 'conformance.md')
const [begin, end] = ['<!-- requirements: begin -->', '<!-- requirements: end -->']
const id = /\b(?:XAPI-(\d{5})|(IEEE-\d(?:\.\d)+))\b/g

/** The document, and what it is to be. */
export function conformance(): { is: string; shallBe: string } {
  const is = readFileSync(document, 'utf8')
  const [before, after] = [is.slice(0, is.indexOf(begin) + begin.length), is.slice(is.indexOf(end))]
  return { is, shallBe: `${before}\n${table()}\n${after}` }
}

/** One line for each file of tests or cases that names requirements. */
function table(): string {
  const lines = ['core', 'gateway', 'test']
    .flatMap(filesBelow)
    .sort()
    .flatMap((file) => {
      const ids = [...readFileSync(join(root, file), 'utf8').matchAll(id)].map(
        ([, number, section]) => number ?? section,
      )
      return ids.length === 0 ? [] : `| ${file} | ${[...new Set(ids)].sort().join(', ')} |`
    })
  return ['| File | XAPI-… and sections of IEEE 9274.1.1 |', '| --- | --- |', ...lines].join('\n')
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.test\.ts$|cases\.ts$|^cases\/.*\.(?:ts|json)$/.test(name))
    .map((name) => `${folder}/${name}`)
}

if (import.meta.main) writeFileSync(document, conformance().shallBe)
