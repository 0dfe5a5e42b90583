import { expect, test } from 'vitest'
import { spellings } from '../test/cases/authorization.ts'
import { isIeee, readAuthorization, versionOf } from './headers.ts'

const shown = { basic: btoa('key:~>~>'), token: 'e30.e30.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }

// which signature a token has is for core to say
test.each(spellings.filter(({ fault }) => !fault?.startsWith('byte for byte')))('$about', ({ header, fault }) => {
  const named = readAuthorization(header(shown))
  if (fault !== undefined) return expect(named).toEqual({ fault: expect.stringContaining(fault) })
  if ('fault' in named || named.scheme === 'Bearer')
    return expect(named).toEqual({ scheme: 'Bearer', token: shown.token, header: `Bearer ${shown.token}` })
  return expect(named).toEqual({ scheme: 'Basic', key: 'key', secret: '~>~>', header: `Basic ${shown.basic}` })
})

test('an empty key or secret, and colons in the secret, are told from each other', () => {
  expect(readAuthorization(`Basic ${btoa(':')}`)).toMatchObject({ key: '', secret: '' })
  expect(readAuthorization(`Basic ${btoa('a:b:c')}`)).toMatchObject({ key: 'a', secret: 'b:c' })
  expect(readAuthorization()).toEqual({ fault: expect.stringContaining('this header is missing') })
})

const versions: [header: string, version: string | undefined, ieee?: boolean][] = [
  ['1.0', '1.0.3', false],
  ['1.0.0', '1.0.0', false],
  ['1.0.3', '1.0.3', false],
  ['1.0.999', '1.0.999', false],
  ['2.0', '2.0.0', true],
  ['2.0.0', '2.0.0', true],
  ['2.0.12', '2.0.12', true],
  ['', undefined],
  ['1', undefined],
  ['0.95', undefined],
  ['1.1', undefined],
  ['1.0.', undefined],
  ['1.0.1000', undefined],
  ['1.0.3.1', undefined],
  ['1.0.3, 1.0.3', undefined],
  [' 1.0.3', undefined],
  ['1.0.3\n', undefined],
  ['2.1', undefined],
]

test.each(versions)('X-Experience-API-Version %j is %s', (header, version, ieee) => {
  expect(versionOf(header)).toBe(version)
  if (version !== undefined) expect(isIeee(version)).toBe(ieee)
})
