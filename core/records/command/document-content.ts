import { hash } from 'node:crypto'
import { wrongContentType } from '../../../shared/headers.ts'
import type { DocumentContent } from '../store/cell/documents.ts'
import { Problem } from '../../process/problem.ts'
import { ours } from '../../../shared/say.ts'

export function contentOf(content: Buffer, contentType: string): DocumentContent {
  const wrong = wrongContentType(contentType)
  if (wrong !== undefined) throw new Problem('Content-Type', ours(wrong))
  return { content, contentType, etag: hash('sha1', content, 'hex') }
}

export const isJson = (contentType: string) => /^application\/json\s*(;|$)/i.test(contentType)
