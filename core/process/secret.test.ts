import type * as Crypto from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { launchTokens } from '../games/access/launch-tokens.ts'
import { hashSecret, isSecret, newSecret } from './secret.ts'
import { authenticator } from '../records/access/caller.ts'
import type { Credential } from '../records/store/cell/credentials.ts'
import { rulesFor } from '../records/xapi/dialect.ts'
import { bestOfThree } from '../../test/support/cost.ts'

const compared = vi.hoisted(() => vi.fn())
vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof Crypto>()
  const timingSafeEqual: typeof crypto.timingSafeEqual = (left, right) => {
    compared()
    return crypto.timingSafeEqual(left, right)
  }
  return { ...crypto, timingSafeEqual }
})

test('a secret is known by its hash, compared in constant time whether it is the right one or not', () => {
  const secret = newSecret()
  for (const [given, is] of [
    [secret, true],
    [newSecret(), false],
    ['', false],
    [`${secret}x`, false],
  ] as const) {
    compared.mockClear()
    expect(isSecret(given, hashSecret(secret))).toBe(is)
    expect(compared).toHaveBeenCalledOnce()
  }
})

test('an unknown key and a wrong secret take the same way and the same time', bestOfThree, async () => {
  const credential = {
    id: 1,
    key: 'known',
    secretHash: hashSecret('secret'),
    version: 1,
    revoked: false,
    scopes: [],
  } as unknown as Credential
  const asked: string[] = []
  const credentials = {
    find: async (key: string) => {
      asked.push(key)
      return key === 'known' ? credential : undefined
    },
  }
  const { authenticate } = authenticator(
    { credentials } as unknown as Parameters<typeof authenticator>[0],
    launchTokens([Buffer.alloc(32, 1)]),
  )
  const rules = rulesFor('1.0.3', 'games')
  const attempts = { known: 'known:wrong', other: 'other:wrong' }
  const times: Record<keyof typeof attempts, number[]> = { known: [], other: [] }
  for (let count = 0; count < 10_000; count++) {
    const name = count % 2 ? 'known' : 'other'
    const header = `Basic ${Buffer.from(attempts[name]).toString('base64')}`
    const began = performance.now()
    await expect(authenticate(header, rules)).rejects.toThrow('The key or the secret is wrong.')
    times[name].push(performance.now() - began)
  }
  expect(asked.length).toBe(10_000)
  const median = (list: number[]) => list.sort((a, b) => a - b)[list.length / 2]!
  const [known, other] = [median(times.known), median(times.other)]
  // of the time that a round trip to the database takes, a hundredth
  expect(Math.abs(known - other)).toBeLessThan(0.05)
})
