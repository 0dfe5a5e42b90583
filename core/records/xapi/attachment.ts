import { at, checkArray, checkObject, fail, unknown, within, wrong } from './check.ts'
import { checkIri } from './iri.ts'
import { checkLanguageMap } from './language-map.ts'
import type { Attachment, Statement } from './types.ts'
import { Problem } from '../../process/problem.ts'

const mediaType = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+[ \t]*(?:;[\t\x20-\x7e]*)?$/
const sha2 = /^(?:[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})$/i
const required = ['usageType', 'display', 'contentType', 'length', 'sha2']

/** The description of an attachment (xAPI Data 2.4.11). Its content comes in the same request or is at fileUrl. */
export function checkAttachments(value: unknown, path: string): asserts value is Attachment[] {
  checkArray(value, path, 'attachments')
  for (let i = 0; i < value.length; i++) checkAttachment(value[i], within(path, i))
}

function checkAttachment(value: unknown, path: string): void {
  checkObject(value, path, 'an attachment')
  for (const key in value) {
    switch (key) {
      case 'usageType':
      case 'fileUrl':
        checkIri(value[key], path, key)
        break
      case 'display':
      case 'description':
        checkLanguageMap(value[key], path, key)
        break
      case 'contentType':
        checkMediaType(value[key], at(path, key))
        break
      case 'length':
        checkLength(value[key], at(path, key))
        break
      case 'sha2':
        checkSha2(value[key], at(path, key))
        break
      default:
        unknown(path, key, 'an attachment', 'usageType, display, description, contentType, length, sha2 and fileUrl')
    }
  }
  for (const key of required) {
    if (value[key] === undefined) fail(at(path, key), `is missing: an attachment needs ${required.join(', ')}`)
  }
}

function checkMediaType(value: unknown, path: string): void {
  if (typeof value !== 'string' || !mediaType.test(value)) wrong(value, path, 'a media type such as "image/png"')
}

/** Octets. Not compared with the content, because the conformance suite declares wrong lengths. */
function checkLength(value: unknown, path: string): void {
  if (!Number.isInteger(value) || (value as number) < 0) wrong(value, path, 'a number of octets (a whole number)')
}

function checkSha2(value: unknown, path: string): void {
  if (typeof value !== 'string' || !sha2.test(value)) {
    wrong(value, path, 'a SHA-2 hash in hexadecimal digits (SHA-256: 64 of them)')
  }
}

/** An attachment of a statement or of its SubStatement, and its path in the input. */
export interface DeclaredAttachment {
  path: string
  /** Lower-case hexadecimal digits. */
  sha2: string
  contentType: string
  hasFileUrl: boolean
  /** Whether its content is a signature of its statement. */
  signs?: SignedText
}

/** A signed statement as text, for the worker thread. */
export interface SignedText {
  /** The stored JSON. */
  json: string
  /** Whether it was sent with a timestamp. */
  hasTimestamp: boolean
}

const signature = 'http://adlnet.gov/expapi/attachments/signature'

/**
 * The attachments of a valid statement that is stored as `body`. Attachments of a SubStatement are no signatures, since
 * only Statements are signed.
 */
export function declaredAttachments(statement: Statement, body: string, path: string): DeclaredAttachment[] {
  const { object, attachments } = statement
  const signs = { json: body, hasTimestamp: statement.timestamp !== undefined }
  const declared = attachments?.map((attachment, index) => {
    const one = declaredAttachment(attachment, within(at(path, 'attachments'), index))
    return attachment.usageType === signature ? { ...one, signs } : one
  })
  if (object.objectType !== 'SubStatement' || !object.attachments) return declared ?? []
  const below = at(at(path, 'object'), 'attachments')
  return [
    ...(declared ?? []),
    ...object.attachments.map((attachment, index) => declaredAttachment(attachment, within(below, index))),
  ]
}

function declaredAttachment({ sha2, contentType, fileUrl }: Attachment, path: string): DeclaredAttachment {
  return { path, sha2: sha2.toLowerCase(), contentType, hasFileUrl: fileUrl !== undefined }
}

/** The attachments that share one content. */
export type Declared = ReadonlyMap<string, readonly DeclaredAttachment[]>

/** The attachments of all statements by their sha2, after all checks that need no content. @throws Problem */
export function declaredContents({
  statements,
}: {
  statements: readonly { attachments: readonly DeclaredAttachment[] }[]
}): Declared {
  const declared = new Map<string, DeclaredAttachment[]>()
  for (const { attachments } of statements) {
    for (const attachment of attachments) {
      checkSignatureType(attachment)
      const same = declared.get(attachment.sha2)
      if (same) same.push(attachment)
      else declared.set(attachment.sha2, [attachment])
    }
  }
  return declared
}

/**
 * The attachments of a content, found by its hash.
 * @throws Problem when no statement of the request declares it (xAPI 1.0.3 Communication 1.5.2)
 */
export function expectedContent(declared: Declared, sha2: string): readonly DeclaredAttachment[] {
  const attachments = declared.get(sha2.toLowerCase())
  if (attachments) return attachments
  throw new Problem(
    'X-Experience-API-Hash',
    `must be the sha2 of an attachment of the statements, not ${JSON.stringify(sha2.slice(0, 128))}`,
  )
}

/**
 * Requires a fileUrl or the content in the same request for every attachment, even if the content is stored already:
 * knowing a hash must not give access to the content. A signature must always come along, to be verified.
 * @throws Problem
 */
export function checkDelivered(declared: Declared, delivered: { has(sha2: string): boolean }): void {
  for (const [sha2, attachments] of declared) {
    if (delivered.has(sha2)) continue
    for (const { path, hasFileUrl, signs } of attachments) {
      if (hasFileUrl && !signs) continue
      const why = hasFileUrl ? 'is a signature' : 'has no fileUrl'
      fail(
        path,
        `${why}, so its content has to come with the request, ` +
          `as a part of multipart/mixed with X-Experience-API-Hash: ${sha2}`,
      )
    }
  }
}

/** Checks the description of a signature, before its content arrives. @throws Problem */
export function checkSignatureType({ path, contentType, signs }: DeclaredAttachment): void {
  if (signs && !/^application\/octet-stream\s*(?:;|$)/i.test(contentType)) {
    fail(at(path, 'contentType'), 'must be application/octet-stream: the attachment is a signature')
  }
}
