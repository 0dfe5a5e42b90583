import { describe, expect, test } from 'vitest'
import { type Env, choice, integer, text, url } from './settings.ts'
import { readConfig } from '../../start/config.ts'

const port = (env: Env) => integer('P', env, { default: 8080, min: 1, max: 65535 })
const mode = (env: Env) => choice('M', env, { default: 'on', of: ['on', 'off'] })
const address = (env: Env) => url('U', env, { protocols: ['postgres', 'postgresql'] })

describe('a value that is accepted', () => {
  test.each<[(env: Env) => unknown, Env, unknown]>([
    [port, {}, 8080],
    [port, { P: '' }, 8080],
    [port, { P: '1' }, 1],
    [port, { P: '65535' }, 65535],
    [mode, {}, 'on'],
    [mode, { M: 'off' }, 'off'],
    [address, {}, undefined],
    [address, { U: 'postgres://a:b@h:5/d' }, 'postgres://a:b@h:5/d'],
    [address, { U: 'postgres://a@/d?host=/run' }, 'postgres://a@/d?host=/run'],
    [address, { U: 'postgres:///d?host=%2Frun' }, 'postgres:///d?host=%2Frun'],
    [(env) => text('T', env), { T: ' x ' }, ' x '],
    [(env) => text('T', env, { default: 'd' }), {}, 'd'],
  ])('%# is read', (read, env, value) => expect(read(env)).toBe(value))
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
    [address, { U: 'pass' }, 'U is not an accepted address, but must be postgres://… or postgresql://….'],
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
