import { describe, expect, test } from 'vitest'
import { type Env, type Kind, choice, integer, text, url } from './kinds.ts'
import { socketAddress } from './own-kinds.ts'
import { readSetting, readSettings } from './settings.ts'
import { readConfig } from '../../start/config.ts'

const read =
  <T>(name: string, kind: Kind<T>) =>
  (env: Env) =>
    kind.parse(name, env[name]!)
const port = read('P', integer(1, 65535))
const mode = read('M', choice('on', 'off'))
const socket = read('S', socketAddress)
const address = read('U', url('postgres', 'postgresql'))

describe('a value that is accepted', () => {
  test.each<[(env: Env) => unknown, Env, unknown]>([
    [port, { P: '1' }, 1],
    [port, { P: '65535' }, 65535],
    [mode, { M: 'off' }, 'off'],
    [address, { U: 'postgres://a:b@h:5/d' }, 'postgres://a:b@h:5/d'],
    [address, { U: 'postgres://a@/d?host=/run' }, 'postgres://a@/d?host=/run'],
    [address, { U: 'postgres:///d?host=%2Frun' }, 'postgres:///d?host=%2Frun'],
    [read('T', text()), { T: ' x ' }, ' x '],
    [(env) => readSetting('GATEWAY_PORT', env), {}, 8080],
    [(env) => readSetting('GATEWAY_PORT', env), { GATEWAY_PORT: '' }, 8080],
    [(env) => readSetting('GATEWAY_PORT', env), { GATEWAY_PORT: '0' }, 0],
    [(env) => readSetting('LRS_TOKEN', env), {}, undefined],
    [(env) => readSettings('gateway', env).port, { GATEWAY_PORT: '1' }, 1],
    [(env) => readSettings('portal', env).gatewayPort, { GATEWAY_PORT: '1' }, 1],
    [(env) => readSettings('portal', env).portalUrl, { LRS_PORTAL_URL: 'https://p/' }, 'https://p'],
    [socket, { S: '/run/clamd.ctl' }, { path: '/run/clamd.ctl' }],
    [socket, { S: 'scan.example.org:3310' }, { host: 'scan.example.org', port: 3310 }],
    [socket, { S: '[::1]:3310' }, { host: '::1', port: 3310 }],
  ])('%# is read', (read, env, value) => expect(read(env)).toEqual(value))
})

describe('a value that is not accepted', () => {
  test.each<[(env: Env) => unknown, Env, string]>([
    [port, { P: '0' }, 'P is "0", but must be a whole number from 1 to 65535.'],
    [port, { P: '80.5' }, 'P is "80.5", but must be a whole number from 1 to 65535.'],
    [port, { P: '0x50' }, 'P is "0x50", but must be a whole number from 1 to 65535.'],
    [port, { P: ' 80' }, 'P is " 80", but must be a whole number from 1 to 65535.'],
    [port, { P: '9'.repeat(400) }, `P is "${'9'.repeat(60)}…", but must be a whole number from 1 to 65535.`],
    [mode, { M: 'yes' }, 'M is "yes", but must be "on" or "off".'],
    [
      address,
      { U: 'mysql://root:pass@h/d' },
      'U is not an accepted address, but must be postgres://… or postgresql://….',
    ],
    ...['clamd', 'clamd:0', '::1:3310', 'a:65536', 'http://a:1'].map((S): [(env: Env) => unknown, Env, string] => [
      socket,
      { S },
      'S must be host:port, or the path of a socket such as /run/clamav/clamd.ctl.',
    ]),
    [address, { U: 'pass' }, 'U is not an accepted address, but must be postgres://… or postgresql://….'],
    [readConfig, { PORTAL_PORT: '0' }, 'PORTAL_PORT is 0, but must be a port that others can know.'],
    [
      readConfig,
      { PORTAL_PORT: '8080' },
      'PORTAL_PORT is 8080, but GATEWAY_PORT is that already: they have to differ.',
    ],
    [
      readConfig,
      { LRS_BOOTSTRAP_KEY: 'a:b' },
      'LRS_BOOTSTRAP_KEY is "a:b", but must be 1 to 200 printable ASCII characters without a colon or spaces.',
    ],
    [
      readConfig,
      { LRS_BOOTSTRAP_SECRET: 'a b' },
      'LRS_BOOTSTRAP_SECRET is set, but must be 1 to 200 printable ASCII characters without spaces.',
    ],
    [
      readConfig,
      { LRS_SERVICE_TOKENS: 'gateway=0123456789abcdef,admin=short' },
      'LRS_SERVICE_TOKENS has no usable token for admin, but must be gateway=…,portal=…,admin=… with 16 characters or more each; roles are gateway, portal, player, admin, service.',
    ],
    [
      readConfig,
      { LRS_SERVICE_TOKENS: 'gatway=0123456789abcdef' },
      'LRS_SERVICE_TOKENS has no usable token for gatway, but must be',
    ],
    [
      readConfig,
      { LRS_SERVICE_TOKENS: 'gateway=0123456789abcdef,admin=0123456789abcdef' },
      'LRS_SERVICE_TOKENS has no usable token for portal, but must be gateway=…,portal=…,admin=… with 16 characters or more each.',
    ],
  ])('%# is named', (read, env, message) => expect(() => read(env)).toThrow(message))
})

test('service tokens are read by role, "=" included', () => {
  const tokens = 'gateway=g123456789012345=,portal=p123456789012345, admin=a123456789012345'
  expect(readConfig({ LRS_SERVICE_TOKENS: tokens }).serviceTokens).toEqual({
    gateway: 'g123456789012345=',
    portal: 'p123456789012345',
    admin: 'a123456789012345',
  })
})
