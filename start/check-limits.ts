import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inBytes, launchHours, launchSeconds, MiB, quotas, sizes } from '../shared/limits.ts'

/** Sizes that are limits, in code and in texts. */
const bounds = [sizes.statementsBody, sizes.document, quotas.storage.limit]
/** Sizes that are limits in texts only: code uses them for other things, too. */
const named = [...bounds, quotas.build.limit, quotas.logo.limit, quotas.teachingNotes.each]
const words = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight']

const anyOf = (texts: readonly (string | number)[]): string => `(?<![\\w.,])(?:${texts.join('|')})\\b`
const spaced = (text: string): string => text.replace(/ (?=[KMG]B)/, ' ?').replace('B', 'i?B')
const grouped = (number: number): string => number.toLocaleString('en').replaceAll(',', '[_,]?')
/** Pattern for `512 * 1024`, and for the product with KiB. */
function product(bytes: number): string {
  const power = Math.floor(Math.log2(bytes) / 10)
  const kib = power === 1 ? `|${bytes / 1024} \\* KiB` : ''
  return `${bytes / 1024 ** power}${' \\* 1024'.repeat(power)}\\b(?! \\* 1024)${kib}`
}

/** Matches only on a line about statements: elsewhere the number means other things. */
const ofStatements = (pattern: string): string => `${pattern}.*statement|statement.*${pattern}`

const patterns = [
  anyOf(bounds.flatMap((bytes) => [grouped(bytes), product(bytes)])),
  anyOf(named.map((bytes) => spaced(inBytes(bytes)))),
  ofStatements(anyOf([sizes.statementsPerRequest, `${sizes.statementsBody / MiB} \\* MiB`])),
  anyOf([
    grouped(launchSeconds),
    `${launchHours} \\* 60 \\* 60`,
    `${launchHours} \\* 3600`,
    `(?:${launchHours}|${words[launchHours]})[ -]hours?`,
  ]),
].map((pattern) => new RegExp(pattern, 'i'))

/** Comments may name a limit. */
const codeOf = (line: string): string => (/^\s*(\/\/|\/?\*)/.test(line) ? '' : line.replace(/\s\/\/ .*$/, ''))

/** Whether a line of code repeats a limit of shared/limits.ts. */
export const restatesLimit = (line: string): boolean => patterns.some((pattern) => pattern.test(codeOf(line)))

/** Prints each line in these files, by default in those of all processes, that repeats a limit. */
function check(asked: readonly string[]): void {
  const root = fileURLToPath(new URL('../', import.meta.url))
  const ours = () =>
    globSync('{core,gateway,portal,player,admin}/**/*.{ts,js}', {
      cwd: root,
      exclude: ['**/*.test.ts', '**/testing.ts', '**/fake-core.ts'],
    })
  for (const file of asked.length > 0 ? asked : ours()) {
    for (const [n, line] of readFileSync(join(root, file), 'utf8').split('\n').entries()) {
      if (!restatesLimit(line)) continue
      process.stdout.write(
        `${file}:${n + 1}: a limit of shared/limits.ts is stated again; import it from there\n${line}\n`,
      )
      process.exitCode = 1
    }
  }
}

if (import.meta.main) check(process.argv.slice(2))
