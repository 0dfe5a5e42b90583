import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readConfig as coreConfig } from '../core/process/config/config.ts'
import { readConfig as gatewayConfig } from '../gateway/config.ts'
import { readConfig as playerConfig } from '../player/config.ts'
import { readConfig as portalConfig } from '../portal/config.ts'
import { unknownSettings } from '../shared/settings/unknown-settings.ts'
import { withSecretFiles } from '../shared/settings/secret-files.ts'
import { readCompose } from './support/compose.ts'

interface Service {
  image: string
  command: string[]
  environment: Record<string, string>
  secrets?: string[]
  volumes?: string[]
  networks: string[]
  ports?: string[]
  healthcheck?: { test: string[] }
  read_only: string
  mem_limit: string
  logging: unknown
  cap_drop: string[]
  security_opt: string[]
}

const ops = resolve(import.meta.dirname, '..', 'ops')
const example = Object.fromEntries(
  Array.from(readFileSync(join(ops, 'compose/env.example'), 'utf8').matchAll(/^(\w+)=(.*)$/gm), ([, name, value]) => [
    name!,
    value!,
  ]),
)
const compose = readCompose(join(ops, 'compose.yaml'), example) as unknown as {
  services: Record<string, Service>
  networks: Record<string, '' | { internal: string }>
  volumes: Record<string, string>
  secrets: Record<string, { file: string }>
}
const services = Object.entries(compose.services)
const processes = { core: coreConfig, gateway: gatewayConfig, portal: portalConfig, player: playerConfig } as const
type Name = keyof typeof processes

const folder = mkdtempSync(join(tmpdir(), 'lrs-compose-'))
const made = join(folder, 'secrets')
const make = () => spawnSync('sh', [join(ops, 'compose/make-secrets.sh'), made], { encoding: 'utf8' })
const first = make()
afterAll(() => rmSync(folder, { recursive: true }))

const secret = (name: string) => readFileSync(join(made, name), 'utf8')

test('the script makes every secret that the file names, once, in a folder that only its owner enters', () => {
  expect(first.status, first.stderr).toBe(0)
  expect(statSync(made).mode & 0o777).toBe(0o700)
  for (const [name, { file }] of Object.entries(compose.secrets)) {
    expect(file).toBe(`./secrets/${name}`)
    expect(secret(name).length).toBeGreaterThan(40)
  }
  const before = secret('signing_key')
  expect([make().status, secret('signing_key')]).toEqual([1, before])
})

test.each(Object.keys(processes) as Name[])('%s starts with the settings that the file gives it', (name) => {
  const { command, environment, secrets } = compose.services[name]!
  expect(command).toEqual([`${name}/main.ts`])
  expect(unknownSettings(environment)).toEqual([])
  const files = Object.values(environment).filter((value) => value.startsWith('/run/secrets/'))
  expect(files.toSorted()).toEqual(secrets!.map((secret) => `/run/secrets/${secret}`).toSorted())
  const env = Object.fromEntries(
    Object.entries({ LRS_STORAGE_DIR: '/data/storage', ...environment }).map(([key, value]) => [
      key,
      value.replace('/run/secrets', made),
    ]),
  )
  const config = processes[name](withSecretFiles(env))
  const tokens = Object.fromEntries(
    secret('service_tokens')
      .split(',')
      .map((entry) => entry.split('=') as [string, string]),
  )
  if ('serviceToken' in config) expect(config.serviceToken).toBe(tokens[name])
  if ('databaseUrl' in config) expect(new URL(config.databaseUrl).password).toBe(secret('lrs_password'))
  if ('host' in config) expect(config.host).toBe('0.0.0.0')
})

test('every container has a root that it cannot write, no rights, and a check of its health', () => {
  for (const [name, service] of services) {
    expect([service.read_only, service.cap_drop], name).toEqual(['true', ['ALL']])
    expect([service.mem_limit, service.logging], name).toEqual([
      expect.stringMatching(/^\d+[mg]$/),
      { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '3' } },
    ])
    expect(service.security_opt, name).toEqual(['no-new-privileges:true'])
    if (name in processes) expect(service.healthcheck!.test, name).toEqual(['CMD', 'node', 'start/healthy.ts', name])
  }
  expect(existsSync(join(ops, '../start/healthy.ts'))).toBe(true)
  expect(readFileSync(join(ops, 'Dockerfile'), 'utf8')).toMatch(/^USER node$/m)
})

test('only the proxy is reached from outside, only core reaches Postgres, and the proxy reaches neither', () => {
  const on = (network: string) =>
    services.filter(([, { networks }]) => networks.includes(network)).map(([name]) => name)
  expect(services.filter(([, { ports }]) => ports).map(([name]) => name)).toEqual(['proxy'])
  expect(on('data')).toEqual(['postgres', 'backup', 'core'])
  expect(on('inside')).toEqual(['core', 'gateway', 'portal', 'player'])
  expect(on('edge')).toEqual(['gateway', 'portal', 'player', 'proxy'])
  expect(compose.networks).toEqual({ edge: '', inside: { internal: 'true' }, data: { internal: 'true' } })
})

test('what is mounted is there, and the proxy knows the processes by their names and ports', () => {
  for (const [name, { volumes = [] }] of services)
    for (const volume of volumes) {
      const [source] = volume.split(':') as [string]
      if (source.startsWith('./') && source !== './certs') expect(existsSync(join(ops, source)), name).toBe(true)
      else if (source !== './certs') expect(Object.keys(compose.volumes), name).toContain(source)
    }
  const proxied = [...readFileSync(join(ops, 'caddy/Caddyfile'), 'utf8').matchAll(/import behind (\w+) (\d+)/g)]
  expect(proxied.map(([, name, port]) => `${name}:${port}`)).toEqual(['gateway:8080', 'portal:8081', 'player:8084'])
})

const hasCompose = spawnSync('docker', ['compose', 'version']).status === 0
if (!hasCompose) process.stderr.write('docker compose is not installed: ops/compose.yaml is NOT checked by it\n')
test.runIf(hasCompose)('docker compose takes the file', () => {
  const { status, stderr } = spawnSync('docker', ['compose', '-f', join(ops, 'compose.yaml'), 'config', '--quiet'], {
    env: { ...process.env, ...example },
    encoding: 'utf8',
  })
  expect(status, stderr).toBe(0)
})

test('the backup is a file of the database, the last seven are kept, and one that fails leaves none', () => {
  const backups = join(folder, 'backups')
  const bin = join(folder, 'bin')
  for (const path of [backups, bin]) mkdirSync(path)
  // pg_dump of the image, for the script only: it writes the address that it was given
  writeFileSync(
    join(bin, 'pg_dump'),
    '#!/bin/sh\nfor last; do :; done\necho "$last" > "${2#--file=}"\n[ -z "${FAIL:-}" ]\n',
    { mode: 0o755 },
  )
  for (let day = 1; day <= 8; day++) writeFileSync(join(backups, `lrs-2026-01-0${day}-0200.dump`), 'old')
  const save = (env: Record<string, string> = {}) =>
    spawnSync('sh', [join(ops, 'compose/backup.sh'), 'once'], {
      env: {
        PATH: `${bin}:${process.env['PATH']}`,
        BACKUP_FOLDER: backups,
        DATABASE_URL_FILE: join(made, 'database_url'),
        ...env,
      },
    }).status
  expect(save({ FAIL: '1' })).toBe(1)
  expect(readdirSync(backups).length).toBe(8)
  expect(save()).toBe(0)
  const kept = readdirSync(backups).toSorted()
  expect([kept.length, kept[0]]).toEqual([7, 'lrs-2026-01-03-0200.dump'])
  expect(readFileSync(join(backups, kept.at(-1)!), 'utf8').trim()).toBe(secret('database_url'))
})
