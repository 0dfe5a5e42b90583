import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { Readable, Writable } from 'node:stream'
import { brotliCompressSync } from 'node:zlib'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { createPlayer } from '../../player/app.ts'
import type { Config } from '../../player/config.ts'
import type { CoreClient } from '../../player/core-client.ts'
import { StorageFailure, type Storage } from '../../storage/storage.ts'

export const build = '0a1b2c3d-0000-4000-8000-0123456789ab'
export const other = '0a1b2c3d-0000-4000-8000-0123456789ac'
export const secret = 's'.repeat(43)
export const compressed = brotliCompressSync('console.log(1)')
export const files: Record<string, Buffer> = {
  [`builds/${build}/index.html`]: Buffer.from('<!doctype html><title>Quiz</title>'),
  [`builds/${build}/data.bin`]: Buffer.from('0123456789'),
  [`builds/${other}/launch.json`]: Buffer.from('{}'),
  [`builds/${build}/empty.txt`]: Buffer.alloc(0),
  [`builds/${build}/game.js.br`]: compressed,
  [`builds/${build}/app.wasm`]: Buffer.from('\0asm as it is'),
  [`derived/${build}/br/app.wasm`]: Buffer.from('in br'),
  [`derived/${build}/gzip/app.wasm`]: Buffer.from('in gzip'),
  [`packages/${build}/Quiz "ä" 1.exe`]: Buffer.from('MZ'),
}

/** What core would say. */
const isPublic = new Set([build, other])
const running = '0a1b2c3d-0000-4000-8000-00000000000a'
const key = Buffer.alloc(32, 1)

const storage = {
  async open(key: string) {
    if (key.endsWith('broken')) throw new StorageFailure('unavailable', 'the store is away')
    const bytes = files[key]
    return (
      bytes && {
        size: bytes.length,
        etag: '"e1"',
        read: async (range?: { start: number; end: number }) =>
          Readable.from([range ? bytes.subarray(range.start, range.end + 1) : bytes]),
      }
    )
  },
} as unknown as Storage

export interface Heard {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** A player on files that are held in memory; `core` answers in place of core. */
export async function stage(settings: Partial<Config> = {}, core: Partial<CoreClient> = {}) {
  const lines: string[] = []
  const log = pino(new Writable({ write: (line, _encoding, done) => (lines.push(String(line)), done()) }))
  const config: Config = {
    host: '127.0.0.1',
    port: 0,
    coreUrl: 'http://127.0.0.1:1',
    serviceToken: 'token-of-the-tests',
    gamesUrl: undefined,
    xapiUrl: undefined,
    gatewayPort: 8080,
    trustProxy: 0,
    edgeSeconds: 600,
    edgePurgeUrl: undefined,
    edgePurgeToken: undefined,
    logLevel: 'info',
    logFormat: 'json',
    storage: { kind: 'local', folder: '/nowhere' },
    ...settings,
  }
  const player = await createPlayer(config, {
    log,
    storage,
    core: {
      launch: async () => undefined,
      checkFiles: async (openBuilds, openSigned) => ({
        openBuilds: openBuilds.filter((id) => isPublic.has(id)),
        openSigned: openSigned.filter((id) => id === running),
        keys: [key],
      }),
      trouble: async () => undefined,
      ...core,
    },
  })
  onTestFinished(() => player.close())
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Heard> =>
    new Promise((resolve, reject) => {
      httpRequest({ host: '127.0.0.1', port: player.port, path, headers, method, agent: false }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject)
        response.on('end', () =>
          resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) }),
        )
      })
        .on('error', reject)
        .end()
    })
  return { ask, lines, url: `http://127.0.0.1:${player.port}` }
}
