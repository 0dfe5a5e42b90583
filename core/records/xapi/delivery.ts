import type { DeclaredAttachment } from './attachment.ts'
import { fail } from './check.ts'
import type { Prepared } from './prepare.ts'
import { Problem } from '../../process/problem.ts'
import { checkSignatureType } from './signature.ts'

/** The attachments that share one content. */
export type Declared = ReadonlyMap<string, readonly DeclaredAttachment[]>

/** The attachments of all statements by their sha2, after all checks that need no content. @throws Problem */
export function declaredContents({ statements }: Prepared): Declared {
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
