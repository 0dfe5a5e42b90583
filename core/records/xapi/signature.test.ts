import { readFileSync } from 'node:fs'
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { rulesFor } from './dialect.ts'
import { differenceOf } from './equivalence.ts'
import { checkSignatureType } from './attachment.ts'
import { checkSignature } from './signature.ts'
import type { Statement } from './types.ts'

const certificates = JSON.parse(
  readFileSync(new URL('../../../test/cases/signatures/certificates.json', import.meta.url), 'utf8'),
)
const { key, signer, studio, root } = certificates
const slow = JSON.parse(readFileSync(new URL('../../../test/cases/signatures/slow-keys.json', import.meta.url), 'utf8'))
const bySlow = (name: string) => jws(statement, { x5c: [slow[name].certificate] }, slow[name].key)
const rules = rulesFor('1.0.3', 'xapi')
const ieee = rulesFor('2.0.0', 'xapi')
const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const statement = {
  id: 'a51c1f4c-6f5f-4e1c-8f7e-1b0c5f3f2a10',
  actor: { mbox: 'mailto:ada@example.org' },
  verb: { id: 'https://v.org/won' },
  object: { id: 'https://o.org/chess' },
} as Statement

const base64url = (text: string | Buffer) => Buffer.from(text).toString('base64url')

/** A JWS as its header says, or as near to it as that allows. */
function jws(payload: unknown, header: Record<string, unknown> = {}, privateKey: string | KeyObject = key): Buffer {
  const whole = { alg: 'RS256', ...header }
  const signed = `${base64url(JSON.stringify(whole))}.${base64url(typeof payload === 'string' ? payload : JSON.stringify(payload))}`
  const hash = `sha${whole.alg.slice(2)}`
  return Buffer.from(
    `${signed}.${base64url(sign(/^RS\d/.test(whole.alg) ? hash : 'sha256', Buffer.from(signed), privateKey))}`,
  )
}

const textOf = (one: Statement) => ({ json: JSON.stringify(one), hasTimestamp: one.timestamp !== undefined })
const check = (content: Buffer, of = statement, how = rules) =>
  checkSignature(content, [{ ...textOf(of), path: 'attachments[0]' }], how)

describe('a signature (XAPI-00115, XAPI-00116, XAPI-00117)', () => {
  test.each<[string, Buffer]>([
    ['RS256', jws(statement)],
    ['RS384', jws(statement, { alg: 'RS384' })],
    ['RS512', jws(statement, { alg: 'RS512' })],
    ['with a certificate', jws(statement, { x5c: [signer] })],
    ['with a chain', jws(statement, { x5c: [signer, studio, root], alg: 'RS512' })],
    ['with a chain that does not end in a root', jws(statement, { x5c: [signer, studio] })],
    ['with the largest key', bySlow('modulus4096exponent64')],
    [
      'that names a key elsewhere, which is not fetched',
      jws(statement, { jku: 'https://192.0.2.1/keys', x5u: 'https://192.0.2.1/cert' }),
    ],
  ])('%s is accepted', (_what, content) => {
    expect(() => check(content)).not.toThrow()
  })

  test.each<[string, Buffer, RegExp]>([
    ['that is empty', Buffer.alloc(0), /compact serialisation/],
    ['that is no JWS', Buffer.from('hello'), /compact serialisation/],
    ['in JSON serialisation', Buffer.from('{"payload":"","signatures":[]}'), /compact serialisation/],
    [
      'of a detached payload',
      Buffer.from(
        jws(statement)
          .toString()
          .replace(/\..*\./, '..'),
      ),
      /compact serialisation/,
    ],
    [
      'with a header that is no JSON',
      Buffer.from(`${base64url('{')}.${base64url('{}')}.AAAA`),
      /header is a JSON object/,
    ],
    ['with HS256', jws(statement, { alg: 'HS256' }), /RS256, RS384 or RS512/],
    ['with PS256', jws(statement, { alg: 'PS256' }), /RS256, RS384 or RS512/],
    ['with none', jws(statement, { alg: 'none' }), /RS256, RS384 or RS512/],
    ['with an extension that must be understood', jws(statement, { crit: ['b64'], b64: false }), /without "crit"/],
    [
      'of broken JSON',
      jws(JSON.stringify(statement).replace('"', "'")),
      /the statement as its payload: must be valid JSON/,
    ],
    ['of no statement', jws({ hello: 1 }), /the statement as its payload: hello: is no property/],
    [
      'of another statement',
      jws({ ...statement, verb: { id: 'https://v.org/lost' } }),
      /the verb in its payload is another one/,
    ],
    ['of another id', jws({ ...statement, id: 'a51c1f4c-6f5f-4e1c-8f7e-1b0c5f3f2a11' }), /the id in its payload/],
    [
      'by another key than the certificate has',
      jws(statement, { x5c: [signer] }, other),
      /the signature does not match/,
    ],
    [
      'with another algorithm than its header says',
      Buffer.from(
        jws(statement, { x5c: [signer] })
          .toString()
          .replace(/[^.]*$/, jws(statement, { alg: 'RS512' }).toString().split('.')[2]!),
      ),
      /the signature does not match/,
    ],
    ['with an empty x5c', jws(statement, { x5c: [] }), /a list of 1 to 10 certificates/],
    ['with a text as x5c', jws(statement, { x5c: signer }), /a list of 1 to 10 certificates/],
    ['with eleven certificates', jws(statement, { x5c: Array(11).fill(signer) }), /a list of 1 to 10 certificates/],
    [
      'with a certificate that is none',
      jws(statement, { x5c: [signer, 'AAAA'] }),
      /x5c\[1\]: must be an X.509 certificate/,
    ],
    ['with a number as certificate', jws(statement, { x5c: [7] }), /x5c\[0\]: must be an X.509 certificate/],
    [
      'with a chain out of order',
      jws(statement, { x5c: [signer, root, studio] }),
      /certificate 0 is not issued by the one after it/,
    ],
    [
      'with an issuer of the same name',
      jws(statement, { x5c: [signer, certificates.otherStudio] }),
      /certificate 0 is not issued/,
    ],
    [
      'with a small key',
      jws(statement, { x5c: [certificates.smallSigner] }, certificates.smallKey),
      /2,048 bits or more/,
    ],
    [
      'with a certificate of an elliptic curve',
      jws(statement, { x5c: [certificates.ellipticSigner] }),
      /RSA key of the first certificate/,
    ],
    ['with a long exponent', bySlow('exponent3064'), /x5c\[0\]: .* exponent of at most 64 bits, not 3064/],
    ['with an exponent of a byte too many', bySlow('exponent72'), /exponent of at most 64 bits, not 72/],
    ['with a modulus of a byte too many', bySlow('modulus4104'), /modulus of at most 4096 bits, not 4104/],
    [
      'with a long exponent anywhere in the chain',
      jws(statement, { x5c: [signer, studio, slow.exponent3064.certificate] }),
      /x5c\[2\]: .*exponent/,
    ],
    [
      'with a curve of no common kind',
      jws(statement, { x5c: [slow.otherCurve.certificate] }),
      /x5c\[0\]: must have an RSA key, or one of/,
    ],
    [
      'with a long certificate',
      jws(statement, { x5c: [Buffer.alloc(17_000).toString('base64')] }),
      /x5c\[0\]: must be a certificate of at most 16384 bytes/,
    ],
  ])('%s is refused', (_what, content, message) => {
    expect(() => check(content)).toThrow(message)
    expect(() => check(content)).toThrow(expect.objectContaining({ path: expect.stringMatching(/^attachments\[0\]/) }))
  })

  test('is an application/octet-stream', () => {
    const said = (contentType: string, signs?: Statement) => () =>
      checkSignatureType({
        path: 'attachments[0]',
        sha2: '',
        contentType,
        hasFileUrl: false,
        signs: signs && textOf(signs),
      })
    expect(said('application/octet-stream', statement)).not.toThrow()
    expect(said('text/plain; charset=ascii')).not.toThrow()
    expect(said('text/plain; charset=ascii', statement)).toThrow(
      'attachments[0].contentType: must be application/octet-stream',
    )
  })
})

describe('statements match', () => {
  const agent = (name: string) => ({ account: { homePage: 'https://h.org', name } })
  const registration = 'b51c1f4c-6f5f-4e1c-8f7e-1b0c5f3f2a1a'
  const activities = { parent: [{ id: 'https://p.org' }] }
  test.each<[string, object, object]>([
    ['without id', {}, { id: undefined }],
    [
      'whatever the store adds',
      { authority: agent('x'), stored: '2026-01-01T00:00:00Z', version: '1.0.0', timestamp: '2026-01-01T00:00:00Z' },
      {},
    ],
    ['with attachments or without', { attachments: [] }, {}],
    ['at one time in two zones', { timestamp: '2026-01-01T01:00:00+01:00' }, { timestamp: '2026-01-01T00:00:00.000Z' }],
    ['with another display', { verb: { ...statement.verb, display: { en: 'won' } } }, {}],
    [
      'with another definition',
      { object: { ...statement.object, objectType: 'Activity', definition: { type: 'https://t.org' } } },
      {},
    ],
    [
      'in another case',
      { id: statement.id!.toUpperCase(), actor: { mbox: 'mailto:ada@EXAMPLE.org', objectType: 'Agent' } },
      {},
    ],
    [
      'with members in any order',
      { actor: { objectType: 'Group', member: [agent('a'), agent('b')] } },
      { actor: { objectType: 'Group', member: [{ account: { name: 'b', homePage: 'https://h.org' } }, agent('a')] } },
    ],
    [
      'with one context activity or a list of one',
      { context: { contextActivities: activities } },
      { context: { contextActivities: { parent: activities.parent[0] } } },
    ],
    [
      'with a registration in another case',
      { context: { registration } },
      { context: { registration: registration.toUpperCase() } },
    ],
    [
      'with __proto__ in extensions',
      { result: JSON.parse('{"extensions":{"e:1":{"__proto__":1}}}') },
      { result: JSON.parse('{"extensions":{"e:1":{"__proto__":1}}}') },
    ],
  ])('%s', (_what, left, right) => {
    expect(differenceOf({ ...statement, ...left }, { ...statement, ...right }, rules)).toBeUndefined()
  })

  test.each<[string, object, object]>([
    ['timestamp', { timestamp: '2026-01-01T00:00:00Z' }, { timestamp: '2026-01-01T00:00:01Z' }],
    ['actor', { actor: { mbox: 'mailto:eve@example.org' } }, {}],
    ['actor', { actor: { mbox: 'mailto:Ada@example.org' } }, {}],
    ['actor', { actor: { ...statement.actor, name: 'Ada' } }, {}],
    [
      'actor',
      { actor: { objectType: 'Group', member: [agent('a')] } },
      { actor: { objectType: 'Group', member: [agent('a'), agent('a')] } },
    ],
    ['object', { object: { id: 'https://o.org/go' } }, {}],
    ['result', { result: { success: true } }, { result: { success: false } }],
    ['result', { result: { duration: 'PT60S' } }, { result: { duration: 'PT1M' } }],
    ['result', { result: { duration: 'PT1.234S' } }, { result: { duration: 'PT1.23S' } }],
    [
      'result',
      { result: JSON.parse('{"extensions":{"e:1":{"__proto__":1}}}') },
      { result: JSON.parse('{"extensions":{"e:1":{"__proto__":2}}}') },
    ],
    ['context', { context: { registration } }, {}],
    [
      'context',
      { context: { contextActivities: activities } },
      { context: { contextActivities: { other: activities.parent } } },
    ],
    [
      'context',
      { context: { contextActivities: { parent: [{ id: 'a:a' }, { id: 'b:b' }] } } },
      { context: { contextActivities: { parent: [{ id: 'b:b' }, { id: 'a:a' }] } } },
    ],
  ])('but for the %s', (property, left, right) => {
    expect(differenceOf({ ...statement, ...left }, { ...statement, ...right }, rules)).toBe(property)
  })

  test('in 2.0 with durations to a hundredth of a second', () => {
    const lasting = (duration: string) => ({ ...statement, result: { duration } })
    expect(differenceOf(lasting('PT1.234S'), lasting('PT1.2399S'), ieee)).toBeUndefined()
    expect(differenceOf(lasting('PT1.00S'), lasting('PT1S'), ieee)).toBeUndefined()
    expect(differenceOf(lasting('PT1.24S'), lasting('PT1.23S'), ieee)).toBe('result')
  })
})
