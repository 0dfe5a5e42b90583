import { withClient, withFetch, withOthers } from '../../portal/pages/games/code/reporting-code.ts'

/** A client for xAPI as a game in the player uses it. */
export interface LaunchedClient {
  readonly name: string
  /** Where its version stands; fetch has none. */
  readonly manifest?: string
  /** Its file, and whether the page has it as a script tag. */
  readonly file?: string
  readonly tag?: boolean
  /** What the portal shows for it. */
  readonly sample: string
  /** What more is tried: code that is done when everything was stored, by what it is. */
  readonly more?: Readonly<Record<string, string>>
}

const sample = (name: string): string => withOthers.find((other) => other.name === name)!.code

/** For the code in `more`: statements without an actor, and attachments. */
const common = `
  const verb = { id: 'http://adlnet.gov/expapi/verbs/experienced', display: { en: 'experienced' } }
  const object = { id: 'https://games.example.org/attached' }
  const about = { usageType: 'https://games.example.org/attachments/replay', display: { en: 'Replay' }, contentType: 'text/plain' }
  const bytes = (text) => new TextEncoder().encode(text).buffer
  const described = async (text) => {
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes(text)))
    return { ...about, length: text.length, sha2: Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('') }
  }`
const tinCan = `${common}
  const tincan = new TinCan({ url: location.href })
  const of = (...texts) => new TinCan.Statement({ actor: tincan.actor, verb, target: object, attachments: texts.map((text) => ({ ...about, content: bytes(text) })) })
  const store = (...statements) => new Promise((done, fail) =>
    tincan.recordStores[0].saveStatements(statements, { callback: (error, xhr) => error === null ? done() : fail(new Error(error + ' ' + xhr?.responseText)) }))`
const xapi = `${common}
  const { default: XAPI } = await import('@xapi/xapi')
  const { endpoint, auth, actor } = XAPI.getSearchQueryParamsAsObject(location.search)
  const xapi = new XAPI({ endpoint, auth, version: '1.0.3', adapter: 'fetch' })
  const of = async (...texts) => ({ actor, verb, object, ...(texts.length > 0 && { attachments: await Promise.all(texts.map(described)) }) })`
const wrapper = `${common}
  const store = (...texts) => new Promise((done, fail) => ADL.XAPIWrapper.sendStatement({ actor: JSON.parse(ADL.XAPIWrapper.lrs.actor), verb, object },
    (xhr) => xhr.status === 200 ? done() : fail(new Error(xhr.responseText)), texts.map((text) => ({ type: { ...about }, value: bytes(text) }))))`

const one = 'one attachment'
const two = 'two attachments of one statement'
const each = 'one attachment of each of two statements'
const second = 'one attachment of the second of two statements'

export const launchedClients: readonly LaunchedClient[] = [
  {
    name: 'games-lrs',
    manifest: 'clients/javascript/package.json',
    file: 'clients/javascript/dist/games-lrs.js',
    sample: withClient,
  },
  { name: 'fetch', sample: withFetch },
  {
    name: 'TinCanJS',
    manifest: 'node_modules/tincanjs/package.json',
    file: 'node_modules/tincanjs/build/tincan-min.js',
    tag: true,
    sample: sample('TinCanJS'),
    more: {
      [one]: `${tinCan}; await store(of('a'))`,
      [two]: `${tinCan}; await store(of('a', 'b'))`,
      [each]: `${tinCan}; await store(of('a'), of('b'))`,
      [second]: `${tinCan}; await store(of(), of('b'))`,
    },
  },
  {
    name: '@xapi/xapi',
    manifest: 'node_modules/@xapi/xapi/package.json',
    file: 'node_modules/@xapi/xapi/dist/XAPI.esm.js',
    sample: sample('@xapi/xapi'),
    more: {
      [one]: `${xapi}; await xapi.sendStatement({ statement: await of('a'), attachments: [bytes('a')] })`,
      [two]: `${xapi}; await xapi.sendStatement({ statement: await of('a', 'b'), attachments: [bytes('a'), bytes('b')] })`,
      [each]: `${xapi}; await xapi.sendStatements({ statements: [await of('a'), await of('b')], attachments: [bytes('a'), bytes('b')] })`,
      [second]: `${xapi}; await xapi.sendStatements({ statements: [await of(), await of('b')], attachments: [bytes('b')] })`,
    },
  },
  {
    name: 'xAPIWrapper',
    manifest: 'test/fixtures/clients/xapiwrapper/package.json',
    file: 'test/fixtures/clients/xapiwrapper/xapiwrapper.min.js',
    tag: true,
    sample: sample('xAPIWrapper'),
    more: { [one]: `${wrapper}; await store('a')`, [two]: `${wrapper}; await store('a', 'b')` },
  },
]
