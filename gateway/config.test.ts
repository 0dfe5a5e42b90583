import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

const token = { LRS_SERVICE_TOKEN: 'a-token-of-16-or-more' }

test('defaults', () => {
  expect(readConfig(token)).toEqual({
    host: '0.0.0.0',
    port: 8080,
    cores: ['http://127.0.0.1:8083'],
    coreTls: {},
    serviceToken: 'a-token-of-16-or-more',
    defaultVersion: '1.0.3',
    dialect: 'games',
    logLevel: 'info',
    logFormat: 'json',
    trustProxy: 0,
    relayTimeoutMs: 10_000,
    attachmentsMaxBytes: 33_554_432,
  })
})

test('the version of answers to requests without one has its patch', () => {
  expect(readConfig({ ...token, LRS_DEFAULT_VERSION: '2.0' }).defaultVersion).toBe('2.0.0')
})

test('several cores', () => {
  expect(readConfig({ ...token, CORE_RELAY_URL: 'http://a:1, https://b' }).cores).toEqual(['http://a:1', 'https://b'])
})

test.each([
  ['LRS_SERVICE_TOKEN', ''],
  ['LRS_SERVICE_TOKEN', 'a b'],
  ['GATEWAY_PORT', '70000'],
  ['GATEWAY_PORT', '80x'],
  ['CORE_RELAY_URL', 'ftp://a'],
  ['CORE_RELAY_URL', 'http://a,,http://b'],
  ['LRS_DEFAULT_VERSION', '1.1.0'],
  ['LRS_DIALECT', 'ieee'],
  ['LRS_LOG_LEVEL', 'loud'],
  ['LRS_RELAY_TIMEOUT_MS', '0'],
])('%s=%j is refused by name', (name, value) => {
  expect(() => readConfig({ ...token, [name]: value })).toThrow(name)
})
