import { at, fail } from './values.ts'
import type { Attachment, Statement } from './types.ts'
import { Problem } from '../../process/problem.ts'
import { ours, say } from '../../../shared/say.ts'

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
    const one = declaredAttachment(attachment, at(at(path, 'attachments'), index))
    return attachment.usageType === signature ? { ...one, signs } : one
  })
  if (object.objectType !== 'SubStatement' || !object.attachments) return declared ?? []
  const below = at(at(path, 'object'), 'attachments')
  return [
    ...(declared ?? []),
    ...object.attachments.map((attachment, index) => declaredAttachment(attachment, at(below, index))),
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
    say`must be the sha2 of an attachment of the statements, not ${JSON.stringify(sha2.slice(0, 128))}`,
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
        say`${ours(why)}, so its content has to come with the request, as a part of multipart/mixed with X-Experience-API-Hash: ${sha2}`,
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
