import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ImageConfig } from './dockerfile.ts'

type Run = (folder: string, command: string, ...args: string[]) => string

export interface Layer {
  /** A gzipped tar. */
  readonly file: string
  /** Of the tar. */
  readonly diffId: string
}

interface Image {
  readonly layers: readonly Layer[]
  readonly version: string
  readonly config: ImageConfig
  /** An empty folder. */
  readonly folder: string
  readonly run: Run
}

interface Blob {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
}

/** The same files make the same bytes: sorted, without times, owned by root. */
const same = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=go-w']
const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`

/** A layer of the files of a folder. Only /data belongs to the user of the image, and only /tmp to everybody. */
export function layerOf(folder: string, run: Run): Layer {
  const tar = `${folder}.tar`
  run(folder, 'tar', ...same, '--exclude=./data', '--exclude=./tmp', '-cf', tar, '.')
  if (existsSync(join(folder, 'data'))) {
    run(folder, 'tar', ...same, '--owner=1000', '--group=1000', '-rf', tar, './data')
    run(folder, 'tar', ...same, '--mode=1777', '-rf', tar, './tmp')
  }
  const diffId = digestOf(readFileSync(tar))
  run(folder, 'gzip', '--no-name', '-6', tar)
  return { file: `${tar}.gz`, diffId }
}

/** Writes an OCI image layout as one tar, for docker load, podman load and skopeo. Returns the digest of the image. */
export function writeImage(file: string, { layers, version, config, folder, run }: Image): string {
  const blobs = join(folder, 'blobs', 'sha256')
  mkdirSync(blobs, { recursive: true })
  const place = (digest: string): string => join(blobs, digest.replace('sha256:', ''))
  const json = (mediaType: string, value: object): Blob => {
    const bytes = Buffer.from(JSON.stringify(value))
    const digest = digestOf(bytes)
    writeFileSync(place(digest), bytes)
    return { mediaType, digest, size: bytes.length }
  }
  const packed = layers.map(({ file }): Blob => {
    const digest = digestOf(readFileSync(file))
    const { size } = statSync(file)
    renameSync(file, place(digest))
    return { mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', digest, size }
  })
  const about = { 'org.opencontainers.image.title': 'games-lrs', 'org.opencontainers.image.version': version }
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  const made = json('application/vnd.oci.image.config.v1+json', {
    architecture,
    os: 'linux',
    config: { ...config, Labels: about },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
  })
  const manifest = json('application/vnd.oci.image.manifest.v1+json', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: made,
    layers: packed,
  })
  const names = {
    'org.opencontainers.image.ref.name': version,
    'io.containerd.image.name': `docker.io/library/games-lrs:${version}`,
  }
  const index = { ...manifest, annotations: names, platform: { architecture, os: 'linux' } }
  writeFileSync(join(folder, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [index] }))
  writeFileSync(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }))
  rmSync(file, { force: true })
  run(folder, 'tar', ...same, '-cf', file, 'oci-layout', 'index.json', 'blobs')
  return manifest.digest
}
