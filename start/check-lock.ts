import { readFileSync } from 'node:fs'

interface Entry {
  readonly integrity?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
}

/**
 * Paths of packages in a lockfile without a hash: npm would install whatever the registry sends. Optional packages of
 * development for other platforms than Linux on x64 may have none, because not every registry has them (complete-lock.mjs).
 */
export const withoutHash = (packages: Readonly<Record<string, Entry>>): string[] =>
  Object.entries(packages)
    .filter(([path, entry]) => path !== '' && !entry.integrity && !(entry.dev && entry.optional && isElsewhere(entry)))
    .map(([path]) => path)

function isElsewhere({ os = [], cpu = [], libc = [] }: Entry): boolean {
  if (os.length === 0 || cpu.length === 0) return false
  return !os.includes('linux') || !cpu.includes('x64') || (libc.length > 0 && !libc.includes('glibc'))
}

if (import.meta.main) {
  const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'))
  for (const path of withoutHash(packages)) {
    process.stdout.write(`package-lock.json: ${path} has no hash ("integrity")\n`)
    process.exitCode = 1
  }
}
