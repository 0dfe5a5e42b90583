import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createRelay } from '../gateway/core-connection/relay.ts'
import { coreClient } from '../player/core-client.ts'
import { readConfig as readCore } from '../core/process/config/config.ts'
import { readConfig as readGateway } from '../gateway/config.ts'
import type { CoreTls } from '../shared/tls/core-tls.ts'
import { watchTlsFiles, type TlsFiles } from '../shared/tls/tls-files.ts'
import { certificates } from './support/certificates.ts'
import { startSystem, tokens, type System } from './support/system.ts'

const made = certificates()
const [first, second] = [made.authority(), made.authority()]
/** Trusted by both sides: the CA in use, and the next one. */
const both = join(made.folder, 'both.pem')
writeFileSync(both, readFileSync(first.ca, 'utf8') + readFileSync(second.ca, 'utf8'))
const ofCore = first.issue('core.example')
const ofCaller = first.issue('gateway.example')
const file = (path: string) => ({ setting: 'A_FILE', path })
const everyMs = 20
const core: TlsFiles = {
  ca: file(both),
  cert: file(made.put('core.pem', ofCore.cert)),
  key: file(made.put('core.key', ofCore.key)),
  everyMs,
}
const callers: CoreTls = {
  ca: file(both),
  cert: file(ofCaller.cert),
  key: file(ofCaller.key),
  name: 'core.example',
  everyMs,
}
const log = pino({ level: 'silent' })
let system: System

beforeAll(async () => {
  system = await startSystem({ tls: { core, callers } })
})
afterAll(async () => {
  await system.close()
  made.remove()
})

/** What a gateway and a player with these settings say of core. */
async function troubles(coreTls: CoreTls, protocol = 'https'): Promise<(string | undefined)[]> {
  const { port, relayPort } = system.cores[0]!
  const relay = createRelay({
    cores: [`${protocol}://127.0.0.1:${relayPort}`],
    tls: coreTls,
    serviceToken: tokens.gateway,
    timeoutMs: 5_000,
    log,
  })
  onTestFinished(() => relay.close())
  const player = coreClient({ coreUrl: `${protocol}://127.0.0.1:${port}`, coreTls, serviceToken: tokens.player }, log)
  const ofPlayer = await player.trouble()
  // one that is let in is connected much sooner
  for (let tries = 0; tries < 40 && (await relay.trouble()) !== undefined; tries++)
    await new Promise((done) => setTimeout(done, 50))
  return [await relay.trouble(), ofPlayer]
}

test('gateway and player with the right files reach core; others do not', async () => {
  const unreached = ['core is not reached', 'core is not reached']
  expect(await troubles(callers)).toEqual([undefined, undefined])
  const wrong: [CoreTls, string?][] = [
    [{ ...callers, name: 'other.example' }],
    [{ ...callers, ca: file(second.ca) }],
    [{ ca: callers.ca, name: 'core.example' }],
    [{ ...callers, cert: file(foreign.cert), key: file(foreign.key) }],
    [{}, 'http'],
  ]
  expect(await Promise.all(wrong.map((one) => troubles(...one)))).toEqual(wrong.map(() => unreached))
})

test('the check of health of a container takes the certificate of its core', async () => {
  const script = join(import.meta.dirname, '..', 'start', 'healthy.ts')
  const env = {
    CORE_PORT: `${system.cores[0]!.port}`,
    CORE_TLS_CERT_FILE: core.cert!.path,
    CORE_TLS_KEY_FILE: core.key!.path,
  }
  const run = promisify(execFile)(process.execPath, [script, 'core'], { env })
  expect((await run).stdout).toContain('"SERVING"')
})

const foreign = made.authority().issue('gateway.example')

test('a new certificate counts for new connections, and no request fails meanwhile', async () => {
  const game = await system.game()
  let isOver = false
  const statuses: number[] = []
  const writer = async (): Promise<void> => {
    while (!isOver) {
      const { status } = await game.xapi().post({
        actor: { mbox: 'mailto:ada@example.com' },
        verb: { id: 'http://adlnet.gov/expapi/verbs/completed' },
        object: { id: 'https://games.example/level' },
      })
      statuses.push(status)
    }
  }
  const writers = Array.from({ length: 4 }, writer)
  const ports = [system.cores[0]!.port, system.cores[0]!.relayPort]
  const seen = () => Promise.all(ports.map(fingerprintAt))
  const [old, next] = [ofCore, second.issue('core.example')]
  expect(await seen()).toEqual([printOf(old.cert), printOf(old.cert)])
  made.put('core.pem', next.cert)
  made.put('core.key', next.key)
  await expect.poll(seen).toEqual([printOf(next.cert), printOf(next.cert)])
  expect(await troubles({ ...callers, ca: file(second.ca) })).toEqual([undefined, undefined])
  const before = statuses.length
  await expect.poll(() => statuses.length).toBeGreaterThan(before + 10)
  isOver = true
  await Promise.all(writers)
  expect(new Set(statuses)).toEqual(new Set([200]))
})

const printOf = (cert: string): string => new X509Certificate(readFileSync(cert)).fingerprint256

function fingerprintAt(port: number): Promise<string> {
  return new Promise((done, fail) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['h2'] }, () => {
      done(socket.getPeerX509Certificate()!.fingerprint256)
      expect(socket.alpnProtocol).toBe('h2')
      socket.destroy()
    })
    socket.on('error', fail)
  })
}

test('wrong files leave the last ones in use, with one line in the log', async () => {
  const { cert, key } = first.issue('core.example')
  const other = second.issue('core.example')
  const files = { cert: file(made.put('kept.pem', cert)), key: file(made.put('kept.key', key)), everyMs: 5 }
  const lines: string[] = []
  const watched = watchTlsFiles(files, pino({ level: 'error' }, { write: (line: string) => void lines.push(line) }))
  onTestFinished(() => watched.close())
  const used = watched.current()
  made.put('kept.pem', other.cert)
  await expect.poll(() => lines.length).toBe(1)
  await new Promise((done) => setTimeout(done, 30))
  expect(lines).toEqual([expect.stringContaining('do not belong together')])
  expect(watched.current()).toBe(used)
  made.put('kept.key', other.key)
  await expect.poll(() => watched.current().cert).toEqual(readFileSync(other.cert))
  expect(lines.length).toBe(1)
})

test('wrong settings stop the start with one line that says which', () => {
  const { cert, key } = first.issue('core.example')
  const ended = first.issue('core.example', 0)
  const needed = {
    DATABASE_URL: 'postgres://h/n',
    LRS_SIGNING_KEY: 'x'.repeat(43),
    LRS_SERVICE_TOKENS: `admin=${'x'.repeat(16)}`,
  }
  const ofCore = (env: Record<string, string>) => () =>
    readCore({ ...needed, LRS_STORAGE_KEY: 'x'.repeat(43), LRS_STORAGE_DIR: made.folder, ...env })
  const pair = { CORE_TLS_CERT_FILE: cert, CORE_TLS_KEY_FILE: key }
  expect(ofCore(pair)).not.toThrow()
  expect(ofCore({ CORE_TLS_CERT_FILE: cert })).toThrow('CORE_TLS_CERT_FILE is set, but the setting of its key is not')
  expect(ofCore({ ...pair, CORE_TLS_KEY_FILE: ofCaller.key })).toThrow('do not belong together')
  expect(ofCore({ ...pair, CORE_TLS_KEY_FILE: cert })).toThrow('CORE_TLS_KEY_FILE must name a file with a private key')
  expect(ofCore({ ...pair, CORE_TLS_CERT_FILE: key })).toThrow('CORE_TLS_CERT_FILE must name a file with a certificate')
  expect(ofCore({ ...pair, CORE_TLS_CERT_FILE: '/nothing' })).toThrow(
    'CORE_TLS_CERT_FILE names a file that cannot be read',
  )
  expect(ofCore({ CORE_TLS_CERT_FILE: ended.cert, CORE_TLS_KEY_FILE: ended.key })).toThrow('has ended')
  expect(ofCore({ CORE_TLS_CLIENT_CA_FILE: first.ca })).toThrow('CORE_TLS_CERT_FILE is not')
  const ofGateway = (env: Record<string, string>) => () => readGateway({ LRS_SERVICE_TOKEN: 'x'.repeat(16), ...env })
  expect(ofGateway({ LRS_CORE_CA_FILE: first.ca, CORE_RELAY_URL: 'https://core:8083' })).not.toThrow()
  expect(ofGateway({ LRS_CORE_CA_FILE: first.ca })).toThrow('CORE_RELAY_URL has an address with http')
})
