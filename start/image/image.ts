import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { readDockerfile } from './dockerfile.ts'
import { layerOf, writeImage } from './oci.ts'

// npm run image [-- folder]: the image of ops/Dockerfile without Docker, from packages of Debian and of npm. It has
// Node and the libraries that Node needs, no shell and no package manager.

/** What Node is linked with; base-files says which Debian it is. */
const packages = ['base-files', 'libc6', 'libgcc-s1', 'libstdc++6', 'libatomic1']
const root = resolve(import.meta.dirname, '..', '..')
const out = resolve(process.argv[2] ?? join(root, 'image'))
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const docker = readDockerfile(root)
const work = mkdtempSync(join(tmpdir(), 'lrs-image-'))
const run = (folder: string, command: string, ...args: string[]): string =>
  execFileSync(command, args, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  })

try {
  say('packages of Debian')
  const system = folder('system')
  const debs = unpackDebs(system)
  addNode(system)
  say('packages of npm')
  const modules = folder('modules')
  addModules(join(modules, 'app'))
  say('the code')
  const code = folder('code')
  addCode(join(code, 'app'))
  mkdirSync(out, { recursive: true })
  const layers = [system, modules, code].map((from) => layerOf(from, run))
  const file = join(out, `games-lrs-${version}.oci.tar`)
  const digest = writeImage(file, { layers, version, config: docker.config, folder: folder('oci'), run })
  const list = join(out, `games-lrs-${version}.cdx.json`)
  writeFileSync(list, `${JSON.stringify(sbom(debs, digest), null, 2)}\n`)
  say(`${relative(process.cwd(), file)}: ${digest}\n${relative(process.cwd(), list)}: what is in it`)
} finally {
  rmSync(work, { recursive: true, force: true })
}

function folder(name: string): string {
  const path = join(work, name)
  mkdirSync(path)
  return path
}

/** apt-get checks their signatures. Returns name and version of each. */
function unpackDebs(system: string): { name: string; version: string; architecture: string }[] {
  const debs = folder('debs')
  // its own user may not enter this folder
  chmodSync(work, 0o755)
  chmodSync(debs, 0o777)
  run(debs, 'apt-get', 'download', '-qq', ...packages)
  return globSync('*.deb', { cwd: debs })
    .toSorted()
    .map((deb) => {
      run(debs, 'dpkg-deb', '--extract', deb, system)
      const [name, version, architecture] = run(
        debs,
        'dpkg-deb',
        '--show',
        '--showformat=${Package} ${Version} ${Architecture}',
        deb,
      ).split(' ')
      return { name: name!, version: version!, architecture: architecture! }
    })
}

function addNode(system: string): void {
  for (const path of ['usr/local/bin', 'data', 'tmp', 'etc']) mkdirSync(join(system, path), { recursive: true })
  copyFileSync(process.execPath, join(system, 'usr/local/bin/node'))
  chmodSync(join(system, 'usr/local/bin/node'), 0o755)
  chmodSync(join(system, 'tmp'), 0o1777)
  writeFileSync(join(system, 'etc/passwd'), 'root:x:0:0::/root:/nonexistent\nnode:x:1000:1000::/app:/nonexistent\n')
  writeFileSync(join(system, 'etc/group'), 'root:x:0:\nnode:x:1000:\n')
  writeFileSync(join(system, 'etc/nsswitch.conf'), 'hosts: files dns\n')
}

function addModules(app: string): void {
  mkdirSync(app, { recursive: true })
  for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(root, name), join(app, name))
  run(app, 'npm', 'ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error')
  for (const path of globSync(docker.removed, { cwd: app })) rmSync(join(app, path), { recursive: true })
  for (const name of ['package.json', 'package-lock.json', 'node_modules/.package-lock.json']) rmSync(join(app, name))
}

function addCode(app: string): void {
  for (const { from, to } of docker.copied)
    cpSync(join(root, from), join(app, to), {
      recursive: true,
      filter: (path) => !docker.isIgnored(relative(root, path)),
    })
}

/** What npm lists, Node and the packages of Debian, in CycloneDX. */
function sbom(debs: ReturnType<typeof unpackDebs>, digest: string): object {
  const listed = JSON.parse(run(root, 'npm', 'sbom', '--omit=dev', '--sbom-format=cyclonedx')) as {
    metadata: { component: object }
    components: { name: string }[]
  }
  const node = process.version.slice(1)
  const ofDebian = debs.map(({ name, version, architecture }) => {
    const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}`
    return { 'bom-ref': purl, type: 'library', name, version, purl }
  })
  listed.components = listed.components.filter(({ name }) => !docker.removed.some((path) => path.endsWith(`/${name}`)))
  listed.components.push(...ofDebian, {
    type: 'application',
    name: 'node',
    version: node,
    purl: `pkg:generic/node@${node}`,
  } as { name: string })
  listed.metadata.component = {
    ...listed.metadata.component,
    hashes: [{ alg: 'SHA-256', content: digest.replace('sha256:', '') }],
  }
  return listed
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
