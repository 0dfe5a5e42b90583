// To be run after a change of dependencies: adds the optional packages of other platforms to package-lock.json. npm
// leaves out those that the registry lacks, but `npm ci` refuses a lockfile without them (docs/adr/0005).
import { readFileSync, writeFileSync } from 'node:fs'

const systems = {
  darwin: 'darwin',
  win32: 'win32',
  windows: 'win32',
  freebsd: 'freebsd',
  android: 'android',
  openharmony: 'openharmony',
  linux: 'linux',
}
const processors = {
  arm64: 'arm64',
  arm: 'arm',
  ppc64: 'ppc64',
  riscv64: 'riscv64',
  s390x: 's390x',
  ia32: 'ia32',
  x64: 'x64',
}

const file = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(file, 'utf8'))
const known = new Set(Object.keys(lock.packages).map((path) => path.slice(path.lastIndexOf('node_modules/') + 13)))
const find = (table, name) => table[Object.keys(table).find((word) => name.includes(word))]

for (const { optionalDependencies = {}, dev } of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    if (known.has(name) || !/^\d/.test(version)) continue
    const platform = name.slice(name.lastIndexOf('/') + 1)
    const os = find(systems, platform)
    const libc = platform.includes('musl')
      ? ['musl']
      : os === 'linux' && platform.includes('gnu')
        ? ['glibc']
        : undefined
    lock.packages[`node_modules/${name}`] = {
      version,
      cpu: [find(processors, platform)],
      ...(dev && { dev }),
      ...(libc && { libc }),
      optional: true,
      os: [os],
    }
    process.stdout.write(`added ${name}@${version}\n`)
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en')))
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
