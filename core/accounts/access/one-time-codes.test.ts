import { Secret, TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { hashRecoveryCode, newRecoveryCodes, newTotpSecret, stepOf, totpAddress } from './one-time-codes.ts'

test('codes of RFC 6238 count in their step, the one before and the one after', async () => {
  // appendix B: the last six digits
  const secret = new Secret({ buffer: new TextEncoder().encode('12345678901234567890').buffer }).base32
  for (const [at, code] of [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [20_000_000_000, '353130'],
  ] as const) {
    const step = Math.floor(at / 30)
    expect(await stepOf(secret, code, at * 1000)).toBe(step)
    expect(await stepOf(secret, ` ${code.slice(0, 3)} ${code.slice(3)}`, (at + 30) * 1000)).toBe(step)
    expect(await stepOf(secret, code, (at - 30) * 1000)).toBe(step)
    for (const away of [-90, 90]) expect(await stepOf(secret, code, (at + away) * 1000)).toBeUndefined()
  }
  for (const typed of ['', '12345', '1234567', 'abcdef', '٢٨٧٠٨٢'])
    expect(await stepOf(secret, typed, 59_000), typed).toBeUndefined()
})

test('a new secret has 160 bits, and its address is read by apps', async () => {
  const secret = newTotpSecret()
  expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  expect(newTotpSecret()).not.toBe(secret)
  const address = new URL(await totpAddress(secret, 'ann+1@example.org'))
  expect(address.protocol).toBe('otpauth:')
  expect(decodeURIComponent(address.pathname)).toContain('Games LRS:ann+1@example.org')
  expect(address.searchParams.get('secret')).toBe(secret)
  const now = Date.now()
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now })
  expect(await stepOf(secret, code, now)).toBe(Math.floor(now / 30_000))
})

test('recovery codes are found as people type them, for their account only', () => {
  const codes = newRecoveryCodes()
  expect(new Set(codes).size).toBe(10)
  for (const code of codes) expect(code).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/)
  const [code = ''] = codes
  const hash = hashRecoveryCode('a', code)!
  expect(hashRecoveryCode('a', ` ${code.toUpperCase().replaceAll('-', ' ')}`)).toEqual(hash)
  expect(hashRecoveryCode('b', code)).not.toEqual(hash)
  for (const typed of ['', '123456', code.slice(1), `${code}a`]) expect(hashRecoveryCode('a', typed)).toBeUndefined()
})
