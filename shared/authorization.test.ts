import { expect, test } from 'vitest'
import { spellings } from '../test/cases/authorization.ts'
import { readAuthorization } from './authorization.ts'

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
