import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { start, startProviders, type Providers } from '../support/providers.ts'

let { system, lying, add, browser, lyingBack, end, calm, close } = {} as Providers
beforeAll(async () => {
  ;({ system, lying, add, browser, lyingBack, end, calm, close } = await startProviders())
})
afterAll(() => close())
beforeEach(() => calm())

describe('groups', () => {
  const signIn = async (provider: string, groups: unknown) => {
    lying.state.claims = { sub: 'gwen', email: 'gwen@example.org', email_verified: true, roles: { of: groups } }
    const own = browser()
    const [path] = await end(own, await lyingBack(own, provider))
    return path
  }
  const rights = async () =>
    (
      await system.database.sql("select admin, reviewer, may_own as own from account where email = 'gwen@example.org'")
    )[0]

  test('give roles at each sign-in and take them away; what an admin gave stays', async () => {
    const groups = { admin: ['ops'], reviewer: ['teachers'], studio: ['makers'] }
    await add('groups', lying.issuer, { groupClaim: 'roles.of', groups })
    expect(await signIn('groups', ['others'])).toBe('/sign-in/with/groups/no-group')
    expect(await rights()).toBeUndefined()
    expect(await signIn('groups', ['ops', 'teachers'])).toBe(start)
    expect(await rights()).toEqual({ admin: true, reviewer: true, own: 0 })
    await signIn('groups', ['makers'])
    expect(await rights()).toEqual({ admin: false, reviewer: false, own: 1 })
    await signIn('groups', ['makers', 'teachers'])
    expect(await rights()).toEqual({ admin: false, reviewer: true, own: 1 })
    await system.admin.accounts.setReviewer({ email: 'gwen@example.org', reviewer: true })
    await signIn('groups', 'makers')
    expect(await rights()).toEqual({ admin: false, reviewer: true, own: 1 })
    await system.admin.accounts.setReviewer({ email: 'gwen@example.org', reviewer: false })
    await signIn('groups', ['ops'])
    expect(await rights()).toEqual({ admin: true, reviewer: false, own: 0 })
    await system.admin.operator.setAdmin({ email: 'gwen@example.org', admin: true })
    await signIn('groups', ['makers'])
    expect(await rights()).toEqual({ admin: true, reviewer: false, own: 1 })
    await system.admin.operator.setAdmin({ email: 'gwen@example.org', admin: false })
    expect(await signIn('groups', [])).toBe('/sign-in/with/groups/no-group')
    expect(await rights()).toEqual({ admin: false, reviewer: false, own: 0 })
  })

  test('a provider that is removed takes its roles with it', async () => {
    await signIn('groups', ['ops'])
    expect(await rights()).toMatchObject({ admin: true })
    const counts = { links: 1, stranded: 1 }
    expect(await system.admin.providers.removeProvider({ name: 'groups', preview: true })).toMatchObject(counts)
    expect(await rights()).toMatchObject({ admin: true })
    expect(await system.admin.providers.removeProvider({ name: 'groups' })).toMatchObject(counts)
    expect(await rights()).toMatchObject({ admin: false })
  })
})
