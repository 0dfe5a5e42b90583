import { expect, test } from 'vitest'
import { sealer } from './sealed.ts'

const [old, young] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
const place = { table: 'totp', column: 'secret', row: 7 }
const other = (change: Partial<typeof place>) => ({ ...place, ...change })

test('a value opens in its place only, with every key of the setting', () => {
  const before = sealer([old])
  const sealed = before.seal(place, 'sécret')
  expect(sealed.includes('cret')).toBe(false)
  expect(before.seal(place, 'sécret').equals(sealed)).toBe(false)
  const both = sealer([young, old])
  expect(both.open(place, sealed)).toBe('sécret')
  expect([before.isOfFirst(sealed), both.isOfFirst(sealed)]).toEqual([true, false])
  expect(both.open(place, both.seal(place, ''))).toBe('')
  for (const elsewhere of [other({ row: 8 }), other({ table: 'x' }), other({ column: 'x' })])
    expect(() => both.open(elsewhere, sealed)).toThrow(/^No key of LRS_SECRET_KEYS opens/)
  expect(() => sealer([young]).open(place, sealed)).toThrow('No key of LRS_SECRET_KEYS opens totp.secret of row 7.')
})

test('a changed or cut value does not open', () => {
  const { seal, open } = sealer([old])
  const sealed = seal(place, 'secret')
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed)
    changed[at]! ^= 1
    expect(() => open(place, changed), `byte ${at}`).toThrow('No key')
    expect(() => open(place, sealed.subarray(0, at)), `${at} bytes`).toThrow('No key')
  }
})

test('without a key nothing is sealed, and the refusal says what to set', () => {
  const none = sealer([])
  expect(none.canSeal).toBe(false)
  expect(() => none.seal(place, 'x')).toThrow(/LRS_SECRET_KEYS/)
})
