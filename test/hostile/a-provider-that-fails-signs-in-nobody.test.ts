import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { outgoing } from '../../core/process/outgoing/outgoing.ts'
import { client, type Lie } from '../support/openid.ts'
import { refused, startProviders, type Providers } from '../support/providers.ts'

let { lying, add, browser, lyingBack, end, calm, close } = {} as Providers
beforeAll(async () => {
  ;({ lying, add, browser, lyingBack, end, calm, close } = await startProviders())
})
afterAll(() => close())
beforeEach(() => calm())

describe('a provider that does not answer as it should', () => {
  const page = 'unreachable'
  test.each([
    ['dead', 'http://127.0.0.1:1', page],
    ['private', 'https://10.1.2.3', page],
    ['metadata', 'http://169.254.169.254', page],
    ['plain', 'http://192.0.2.7', page],
  ])('at the start: %s', async (name, issuer, problem) => {
    await add(name, issuer)
    const own = browser()
    expect(await end(own, `/sign-in/with/${name}`)).toEqual(refused(problem, name))
  })

  const answers: Record<string, Lie['answer']> = {
    large: (_request, response) => {
      response.setHeader('content-type', 'application/json').end(Buffer.alloc(10 * 1024 * 1024, ' '))
      return true
    },
    redirect: (_request, response) => Boolean(response.writeHead(302, { location: `${lying.issuer}/elsewhere` }).end()),
    broken: (_request, response) => Boolean(response.setHeader('content-type', 'application/json').end('{')),
  }
  const cases = Object.entries(answers)

  test('at the start: with 10 MB, a redirect, no JSON', async () => {
    lying.state.lie = {
      answer: (request, response) =>
        answers[/^\/(\w+)\/\.well-known/.exec(request.url!)?.[1] ?? '']?.(request, response) ?? false,
    }
    await Promise.all(cases.map(([name]) => add(name, `${lying.issuer}/${name}`)))
    await Promise.all(
      cases.map(async ([name]) => expect(await end(browser(), `/sign-in/with/${name}`)).toEqual(refused(page, name))),
    )
    expect(lying.state.asked).not.toContain('/elsewhere')
  })

  test.each(cases)('at the end: %s', async (_, answer) => {
    const own = browser()
    const back = await lyingBack(own)
    lying.state.lie = { answer: (request, response) => request.url === '/token' && answer!(request, response) }
    expect(await end(own, back)).toEqual(refused(page))
  })

  test('in time: the call ends after the seconds of the settings', async () => {
    lying.state.lie = { answer: () => true }
    const calls = outgoing({ allowed: ['127.0.0.1'], seconds: 1, mailSeconds: 1 })
    const provider = { issuer: `${lying.issuer}/slow`, ...client }
    expect(await calls.openIdAddress({ provider, parameters: {} })).toMatchObject({ failure: 'unreachable' })
    await calls.close()
  })

  test('calls itself by another name than the one that was agreed on', async () => {
    await add('renamed', `${lying.issuer}/tenant`)
    const own = browser()
    expect(await end(own, '/sign-in/with/renamed')).toEqual(refused('not-accepted', 'renamed'))
  })
})
