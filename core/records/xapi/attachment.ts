import { at, checkArray, checkObject, fail, unknown, within, wrong } from './check.ts'
import { checkIri } from './iri.ts'
import { checkLanguageMap } from './language-map.ts'
import type { Attachment, Statement } from './types.ts'

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
