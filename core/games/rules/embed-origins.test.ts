import { expect, test } from 'vitest'
import { embedOrigins } from './embed-origins.ts'

test('origins are kept as browsers write them, each once', () => {
  expect(
    embedOrigins([
      ' https://School.Example/ ',
      'https://school.example:443',
      'https://a.example:8443',
      'https://schüler.de',
    ]),
  ).toEqual(['https://school.example', 'https://a.example:8443', 'https://xn--schler-5ya.de'])
})

test.each(['http://localhost:3000', 'http://127.0.0.1:8000', 'http://game.localhost'])(
  '%s is this machine',
  (origin) => {
    expect(embedOrigins([origin])).toEqual([origin])
  },
)

test.each([
  '',
  '*',
  'https://*',
  'https://*.school.example',
  'https:',
  "'self'",
  'school.example',
  '//school.example',
  'https://school.example/course',
  'https://school.example/?a',
  'https://school.example#a',
  'https://ann@school.example',
  'https://school.example; script-src *',
  'https://school.example;x',
  'https://school.example,https://evil.example',
  'https://school.example\nSet-Cookie: a=b',
  'https://school.example https://evil.example',
  'https://school.example.',
  'https://-.example',
  'https://school.example:99999',
  'https://[::1]',
  'ftp://school.example',
  'javascript://school.example',
  'data:text/html,a',
  'null',
  `https://${'a.'.repeat(43)}.example`,
])('%s is no origin that may be listed', (given) => {
  expect(() => embedOrigins(['https://fine.example', given])).toThrow(/^player\.embed\[1\]: must be an origin/)
})

test('http is for this machine only', () => {
  for (const given of ['http://school.example', 'http://localhost.school.example', 'http://128.0.0.1'])
    expect(() => embedOrigins([given]), given).toThrow(/must begin with https/)
})

test('there are at most 20', () => {
  const many = Array.from({ length: 21 }, (_, n) => `https://${n}.example`)
  expect(embedOrigins([...many.slice(1), ...many.slice(1)])).toHaveLength(20)
  expect(() => embedOrigins(many)).toThrow('player.embed: must have at most 20 origins')
})

test('an origin is as short in the header as it was given', () => {
  const letters = Array.from({ length: 45 }, (_, n) => String.fromCodePoint(0x20000 + n * 800)).join('')
  expect(() => embedOrigins([`https://${letters}`])).toThrow(
    'player.embed[0]: must have at most 100 characters, in ASCII',
  )
})
