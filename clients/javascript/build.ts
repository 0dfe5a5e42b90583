// Makes dist/ of the client: an ES module, a CommonJS module, a script for a tag, and types in one file. The result is
// committed and compared by the check. With --release its scripts also become released/<version>, which never changes
// again: pages load them from the portal, which serves every version that was ever released.
import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { rolldown } from 'rolldown'

const folder = import.meta.dirname
const isRelease = process.argv[2] === '--release'
const target = resolve(isRelease ? join(folder, 'dist') : (process.argv[2] ?? join(folder, 'dist')))
const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
  name: string
  version: string
}
const banner = `/*! ${name} ${version} | Apache-2.0 */`

rmSync(target, { recursive: true, force: true })
mkdirSync(target, { recursive: true })
const bundle = await rolldown({ input: join(folder, 'games-lrs.ts') })
await bundle.write({ file: join(target, 'games-lrs.js'), format: 'esm', minify: true, banner })
await bundle.write({ file: join(target, 'games-lrs.cjs'), format: 'cjs', minify: true, banner })
await bundle.write({
  file: join(target, 'games-lrs.global.js'),
  format: 'iife',
  name: 'GamesLrs',
  minify: true,
  banner,
})
await bundle.close()

// a consumer in CommonJS wants types of its own kind: two files with the same text, which import nothing
const scratch = mkdtempSync(join(tmpdir(), 'games-lrs-types-'))
const tsc = join(folder, '..', '..', 'node_modules', '.bin', 'tsc')
const options =
  '--ignoreConfig --strict --target es2024 --module nodenext --allowImportingTsExtensions --lib es2024,dom,dom.iterable --declaration --emitDeclarationOnly'
const parameters = [join(folder, 'games-lrs.ts'), ...options.split(' '), '--types', '', '--outDir', scratch]
const { status, stdout } = spawnSync(tsc, parameters, { encoding: 'utf8' })
if (status !== 0) throw new Error(`types of the client: ${stdout}`)
const declared = (file: string): string => readFileSync(join(scratch, `${file}.d.ts`), 'utf8')
const withoutImports = (text: string): string =>
  text.replaceAll(/^import .*\n/gm, '').replaceAll(/^(export .*\}) from '.*';$/gm, '$1;')
const types = [
  // what is not exported by the whole is not exported at all
  ...['verbs', 'cmi5', 'launch', 'queue', 'sender', 'documents'].map((file) =>
    withoutImports(declared(file)).replaceAll(/^export (?=declare|interface|type)/gm, ''),
  ),
  withoutImports(declared('games-lrs')),
].join('')
rmSync(scratch, { recursive: true })
for (const file of ['games-lrs.d.ts', 'games-lrs.d.cts']) writeFileSync(join(target, file), types)

if (isRelease) {
  const kept = join(folder, 'released', version)
  if (existsSync(kept)) throw new Error(`${version} is released: raise the version in clients/javascript/package.json`)
  cpSync(target, kept, { recursive: true, filter: (path) => path === target || path.endsWith('.js') })
  // also of what is not kept: then dist/ does not change without another version
  const hashes = readdirSync(target).map((name) => {
    return [name, `sha384-${hash('sha384', readFileSync(join(target, name)), 'base64')}`] as const
  })
  const list = join(folder, 'released.json')
  const released = { ...JSON.parse(readFileSync(list, 'utf8')), [version]: Object.fromEntries(hashes) }
  writeFileSync(list, `${JSON.stringify(released, null, 2)}\n`)
  const readme = join(folder, 'README.md')
  const tag = /(?<=client\/)[\d.]+(\/games-lrs\.global\.js"\s+integrity=")[^"]+/
  const integrity = released[version]['games-lrs.global.js']
  writeFileSync(readme, readFileSync(readme, 'utf8').replace(tag, `${version}$1${integrity}`))
}
