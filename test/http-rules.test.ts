import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Dialect } from '../core/records/xapi/dialect.ts'
import { httpCases, type HttpCase, type RuleBook, type Step } from './cases/http.ts'
import type { Game } from './support/games.ts'
import { contractOf, type Contract } from './support/openapi.ts'
import { activity, player, verb } from './support/statements.ts'
import { startSystem, type System } from './support/system.ts'
import type { Reply, RequestOptions, XapiClient } from './support/xapi.ts'

type Names = Map<string, string>

const passing = new Set(['date', 'x-request-id', 'x-experience-api-consistent-through', 'connection', 'keep-alive'])

/** The value with all its texts filled in: `$name` for what is known under that name, or for a new UUID. */
function fill<Value>(value: Value, names: Names): Value {
  if (typeof value === 'string')
    return value.replace(/\$([a-z]\w*)/g, (_all, name: string) => nameOf(name, names)) as Value
  if (Array.isArray(value)) return value.map((one) => fill(one, names)) as Value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one, names)])) as Value
}

function nameOf(name: string, names: Names): string {
  if (!names.has(name)) names.set(name, randomUUID())
  return names.get(name)!
}

/** The value with matchers in the place of texts between slashes. */
function expected(value: unknown): unknown {
  if (typeof value === 'string')
    return /^\/.+\/$/s.test(value) ? expect.stringMatching(new RegExp(value.slice(1, -1))) : value
  if (Array.isArray(value)) return value.map(expected)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, expected(one)]))
}

// oxlint-disable-next-line typescript/no-explicit-any -- a place in any JSON
const placed = (value: any, place: string) =>
  place === '' ? value : place.split('.').reduce((at, key) => at?.[key], value)

function bodyOf({ body, statement, repeat, form }: Omit<Step, 'ask' | 'status'>): unknown {
  const whole = (over: object) => ({ actor: player('ann'), verb: verb('played'), object: activity('chess'), ...over })
  if (statement !== undefined && repeat !== undefined)
    return Array.from({ length: repeat }, () => [statement].flat().map(whole)).flat()
  if (statement !== undefined) return Array.isArray(statement) ? statement.map(whole) : whole(statement)
  if (form === undefined) return body
  return String(
    new URLSearchParams(
      Object.entries(form).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
    ),
  )
}

/** The path of the resource that a request goes to, as it is written. */
const pathOf = (ask: string) => new URL(ask, 'http://lrs.example/xapi/').pathname

/** Sends one request and checks its answer, and what holds for every answer. */
async function take(step: Step, xapi: XapiClient, version: string, names: Names, contract: Contract): Promise<void> {
  const { ask, query, headers, status, text, json, at, headersOut, keep, ...content } = fill(step, names)
  const [method = '', path = ''] = ask.split(' ')
  const without = Object.fromEntries(Object.entries(query ?? {}).filter(([, value]) => value !== null))
  const sent = Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, value ?? undefined]))
  const options: RequestOptions = { query: without, headers: sent, body: bodyOf(content) }
  const reply = await xapi.request(method, path, options)
  const said = `${ask} ${JSON.stringify(without)}: ${reply.text.slice(0, 300)}`
  expect(reply.status, said).toBe(status)
  // the document has neither forms in place of methods nor other spellings of a path
  if (content.form === undefined && !/%|^\/\//.test(pathOf(path))) contract(method, pathOf(path), reply)

  for (const [name, value] of Object.entries(headersOut ?? {}))
    expect(reply.headers.get(name), said).toEqual(expected(value))
  if (text !== undefined) expect(reply.text, said).toBe(text)
  if (json !== undefined) expect(reply.json, said).toMatchObject(expected(json) as object)
  for (const [place, value] of Object.entries(at ?? {}))
    expect(placed(reply.json, place) ?? null, `${place} of ${said}`).toEqual(value)
  for (const [name, place] of Object.entries(keep ?? {})) {
    names.set(
      name,
      place.startsWith('headers.') ? reply.headers.get(place.slice(8))! : placed({ json: reply.json }, place),
    )
  }

  // XAPI-00333: the version asked for is the version of the answer
  if (!('x-experience-api-version' in sent)) expect(reply.headers.get('x-experience-api-version'), said).toBe(version)
  if (status >= 400) expect(reply.json.message ?? reply.json.error, said).toEqual(expect.any(String))
  if (method === 'GET') await takeHead(xapi, path, options, reply)
}

/**
 * XAPI-00125, XAPI-00126: HEAD answers like GET. XAPI-00153, XAPI-00160: an answer about statements says how far it
 * sees.
 */
async function takeHead(xapi: XapiClient, path: string, options: RequestOptions, get: Reply): Promise<void> {
  const head = await xapi.request('HEAD', path, options)
  expect([head.status, head.text]).toEqual([get.status, ''])
  expect(lasting(head)).toEqual(lasting(get))
  for (const { headers } of [get, head]) {
    const through = headers.get('x-experience-api-consistent-through')
    if (path.includes('statements')) expect(through).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,}Z$/)
    else expect(through).toBeNull()
  }
}

/** The headers that do not differ from one answer to the next. */
function lasting({ headers }: Reply): [string, string][] {
  return [...headers]
    .filter(([name]) => !passing.has(name))
    .map(([name, value]) => [name, value.replace(/boundary=.*/, 'boundary=')])
}

/**
 * With the part that `npm test` runs of the cases which the first run has, too. The rules of 2.0.0 are the same object in
 * both dialects.
 */
const runs: [Dialect, string, RuleBook, number][] = [
  ['games', '1.0.3', 'games', 1],
  ['xapi', '1.0.3', 'xapi', 8],
  ['games', '2.0.0', 'ieee', 8],
  ['xapi', '2.0.0', 'ieee', 16],
]
const isChosen = ({ rules = ['games'] }: HttpCase, n: number, part: number): boolean =>
  n % part === 0 || !rules.includes('games')

describe.each(runs)('over HTTP, dialect %s, version %s', (dialect, version, rules, part) => {
  let system: System
  let contract: Contract
  beforeAll(async () => {
    system = await startSystem({ dialect })
    contract = await contractOf(system.urls[0]!)
  })
  afterAll(() => system.close())

  for (const [n, one] of httpCases(rules).entries())
    test(`${one.requirement}: ${one.about}`, { tags: isChosen(one, n, part) ? [] : 'long' }, async () => {
      const game: Game = await system.game()
      const names: Names = new Map([
        ['key', game.key],
        ['authorization', game.authorization],
      ])
      for (const step of one.steps) await take(step, game.xapi(0, version), version, names, contract)
    })
})
