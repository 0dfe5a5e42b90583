import type { IncomingMessage } from 'node:http'
import { isCompressible, type Coding } from '../shared/compressed-files.ts'
import type { Config } from './config.ts'
import { tagOf } from './edge.ts'
import { accepts, mediaOf } from './media-type.ts'
import type { Place } from './place.ts'

/** Smaller files are sent at once: another request would take longer. */
const movedBytes = 64 * 1024
/** Browsers keep these packages for that long. */
const packageSeconds = 3600

/** launch.json: the launch context of the session in the request; without a session, the file of the build. */
export const isLaunch = ({ kind, path }: Place): boolean => kind === 'file' && path === 'launch.json'

/**
 * A build never changes, so browsers keep its files for good; but pages and launch.json are checked each time. Shared
 * caches ask again after `edgeSeconds`, and keep no file of a signed path. @param coding of the bytes that are sent
 */
export function headersOf(
  { headers }: IncomingMessage,
  place: Place,
  coding: Coding | undefined,
  { edgeSeconds }: Pick<Config, 'edgeSeconds'>,
): Record<string, string> {
  const tag = tagOf(place.buildId)
  const shared = place.signed === undefined
  const kept = (seconds: number, more = '') =>
    shared ? `public, max-age=${seconds}, s-maxage=${edgeSeconds}${more}` : `private, max-age=${seconds}${more}`
  const tags = shared ? { 'Surrogate-Key': tag, 'Cache-Tag': tag } : undefined
  if (place.kind === 'package') return { ...tags, 'Cache-Control': kept(packageSeconds), ...asDownload(place.path) }
  const { type, encoding } = mediaOf(place.path)
  const asksAgain = isPage(type) || isLaunch(place)
  const cache = {
    ...tags,
    'Cache-Control': asksAgain ? (shared ? 'no-cache' : 'private, no-cache') : kept(31536000, ', immutable'),
  }
  if (encoding === undefined && !isCompressible(place.path)) return { ...cache, 'Content-Type': type }
  const sent = encoding && accepts(headers['accept-encoding'], encoding) ? encoding : coding
  const isOpaque = encoding !== undefined && sent === undefined
  return {
    ...cache,
    Vary: 'Accept-Encoding',
    'Content-Type': isOpaque ? 'application/octet-stream' : type,
    ...(sent && { 'Content-Encoding': sent }),
  }
}

const isPage = (type: string): boolean => /^(text\/html|application\/xhtml\+xml)/.test(type)

/**
 * Whether a session is redirected to the public address for this file, which browsers and edges may have already. Not
 * for files that name other files by relative addresses: browsers would request those at the public address, too, and a
 * withdrawal closes it. Of scripts only classic ones, not modules, name no others.
 */
export function moves({ headers }: IncomingMessage, place: Place, size: number): boolean {
  if (place.kind === 'package') return true
  if (size < movedBytes || isLaunch(place)) return false
  const { type } = mediaOf(place.path)
  if (type.startsWith('text/javascript'))
    return headers['sec-fetch-dest'] === 'script' && headers['sec-fetch-mode'] === 'no-cors'
  return /^(image\/(?!svg)|audio\/|video\/|font\/|application\/(octet-stream|wasm|zip|json))/.test(type)
}

function asDownload(path: string): Record<string, string> {
  const plain = path.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const exact = encodeURIComponent(path).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  )
  return {
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': `attachment; filename="${plain}"; filename*=UTF-8''${exact}`,
  }
}
