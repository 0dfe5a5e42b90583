import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { endAll, temporaryFolder } from './fixtures/launch.ts'
import { openSecrets } from './secrets.ts'
import { readConfig } from './config.ts'

afterAll(endAll)

const config = (env: Record<string, string> = {}) => readConfig({ LRS_DATA_DIR: temporaryFolder(), ...env })

test('secrets are made once, in a file that only its owner reads', () => {
  const here = config()
  const first = openSecrets(here)
  const second = openSecrets(here)
  expect([second.signingKey, second.secretKeys]).toEqual([first.signingKey, first.secretKeys])
  expect(first.secretKeys).not.toBe(first.signingKey)
  expect(second.serviceTokens).toEqual(first.serviceTokens)
  const made = statSync(join(here.dataDir, 'secrets.json')).ino
  openSecrets(here)
  expect(statSync(join(here.dataDir, 'secrets.json')).ino).toBe(made)
  expect(Buffer.from(first.signingKey, 'base64url')).toHaveLength(32)
  expect(new Set(Object.values(first.serviceTokens)).size).toBe(5)
  expect(statSync(join(here.dataDir, 'secrets.json')).mode & 0o777).toBe(0o600)
})

test('a generated credential keeps its secret until it was shown, and a new store gets a new one', () => {
  const here = config()
  const made = openSecrets(here).demoCredential('embedded', true)
  expect(made.secret).toMatch(/^[\w-]{43}$/)
  expect(openSecrets(here).demoCredential('embedded', false)).toEqual(made)
  openSecrets(here).shown('embedded')
  expect(readFileSync(join(here.dataDir, 'secrets.json'), 'utf8')).not.toContain(made.secret)
  expect(openSecrets(here).demoCredential('embedded', false)).toEqual({ key: made.key, secret: undefined })
  expect(openSecrets(here).demoCredential('db.example/lrs', false).key).not.toBe(made.key)
  expect(openSecrets(here).demoCredential('embedded', true).key).not.toBe(made.key)
})

test('what the environment sets wins and is not kept', () => {
  const here = config({
    LRS_BOOTSTRAP_KEY: 'game',
    LRS_BOOTSTRAP_SECRET: 'given-secret',
    LRS_SIGNING_KEY: 'k'.repeat(43),
    LRS_SECRET_KEYS: `${'k'.repeat(43)},${'l'.repeat(43)}`,
  })
  const secrets = openSecrets(here)
  expect(secrets.demoCredential('embedded', true)).toEqual({ key: 'game', secret: 'given-secret' })
  expect(secrets.signingKey).toBe('k'.repeat(43))
  expect(secrets.secretKeys).toBe(`${'k'.repeat(43)},${'l'.repeat(43)}`)
  const tokens = 'gateway=g123456789012345,portal=p123456789012345,admin=a123456789012345'
  const before = openSecrets(config({ LRS_SERVICE_TOKENS: tokens })).serviceTokens
  expect(before).toMatchObject({ gateway: 'g123456789012345', player: expect.stringMatching(/^[\w-]{43}$/) })
  expect(openSecrets(config({ LRS_SERVICE_TOKENS: `${tokens},player=q123456789012345` })).serviceTokens.player).toBe(
    'q123456789012345',
  )
  const kept = readFileSync(join(here.dataDir, 'secrets.json'), 'utf8')
  expect(kept).not.toContain('given-secret')
  expect(kept).not.toContain('kkkk')
})

test('a file that is no JSON is named', () => {
  const here = config()
  writeFileSync(join(here.dataDir, 'secrets.json'), '{')
  expect(() => openSecrets(here)).toThrow(/secrets\.json is not JSON any more/)
})
