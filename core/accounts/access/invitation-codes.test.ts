import { expect, test } from 'vitest'
import { hashInvitation, newInvitationCode } from './invitation-codes.ts'
import { hashSecret } from '../../process/secret.ts'

test('a code is found as people type it', () => {
  const hash = hashInvitation('0K1QM4XTR9HP2BCD')
  for (const typed of ['0k1q-m4xt-r9hp-2bcd', ' OKIQ M4XT R9HP 2BCD ', 'OkLQM4XTR9HP2bcd'])
    expect(hashInvitation(typed)).toEqual(hash)
  expect(hashInvitation('0K1QM4XTR9HP2BCE')).not.toEqual(hash)
})

test('codes have 80 bits, and no letter that looks like a digit', () => {
  const codes = Array.from({ length: 500 }, newInvitationCode)
  expect(new Set(codes).size).toBe(500)
  for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{16}$/)
  expect(new Set(codes.join('')).size).toBe(32)
})

test('a longer code of before stays as it is', () => {
  const old = 'aIl0O-x'.padEnd(43, 'z')
  expect(hashInvitation(old)).toEqual(hashSecret(old))
})
