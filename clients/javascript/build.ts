// Makes dist/ of the client: an ES module, a script for a tag, and types. The result is committed and compared by the check.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { rolldown } from 'rolldown'

const folder = import.meta.dirname
const target = resolve(process.argv[2] ?? join(folder, 'dist'))
const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
  name: string
  version: string
}
const banner = `/*! ${name} ${version} | Apache-2.0 */`

rmSync(target, { recursive: true, force: true })
mkdirSync(target, { recursive: true })
const bundle = await rolldown({ input: join(folder, 'games-lrs.ts') })
await bundle.write({ file: join(target, 'games-lrs.js'), format: 'esm', minify: true, banner })
await bundle.write({
  file: join(target, 'games-lrs.global.js'),
  format: 'iife',
  name: 'GamesLrs',
  minify: true,
  banner,
})
await bundle.close()
const tsc = join(folder, '..', '..', 'node_modules', '.bin', 'tsc')
const types = [
  join(folder, 'games-lrs.ts'),
  '--ignoreConfig',
  '--strict',
  '--target',
  'es2024',
  '--module',
  'nodenext',
  '--allowImportingTsExtensions',
  '--lib',
  'es2024,dom,dom.iterable',
  '--types',
  '',
  '--declaration',
  '--emitDeclarationOnly',
  '--outDir',
  target,
]
const { status, stdout } = spawnSync(tsc, types, { encoding: 'utf8' })
if (status !== 0) throw new Error(`types of the client: ${stdout}`)
