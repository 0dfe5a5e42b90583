import { sizes } from './limits.ts'

/** Says what is wrong with the Content-Type of a document, which is sent back as a header; undefined: nothing. */
export function wrongContentType(type: string): string | undefined {
  const fits = type.length <= sizes.contentType && /^[\x20-\x7e]+$/.test(type)
  return fits ? undefined : `must be a media type of 1 to ${sizes.contentType} printable ASCII characters`
}
