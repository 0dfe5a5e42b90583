import { isKey } from '../storage/storage.ts'

/** The file that a request names. */
export interface Place {
  /** A file of a browser build, or a desktop package. */
  readonly kind: 'file' | 'package'
  /** The game runs isolated from other origins, so that it may use threads. */
  readonly isolated: boolean
  readonly buildId: string
  /** What is behind `/s/` in a signed path; undefined: it is the public address. */
  readonly signed: string | undefined
  /** Path within the build: `index.html`, `Build/game.wasm.br`. */
  readonly path: string
  /** Key in storage. */
  readonly key: string
}

const pattern =
  /^(?:\/s\/([\w.-]{1,120}))?\/([bid])\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\/(.*)$/

/** The file at a path, without its query; undefined: there can be none. A folder stands for its index.html. */
export function fileAt(target: string): Place | undefined {
  const [, signed, letter, buildId, rest] = pattern.exec(target.split('?', 1)[0]!) ?? []
  if (letter === undefined) return undefined
  const decoded = decode(rest!)
  if (decoded === undefined) return undefined
  const kind = letter === 'd' ? 'package' : 'file'
  const path = kind === 'file' && /(^|\/)$/.test(decoded) ? `${decoded}index.html` : decoded
  const key = `${kind === 'file' ? 'builds' : 'packages'}/${buildId}/${path}`
  return isKey(key) && (kind === 'file' || !path.includes('/'))
    ? { kind, isolated: letter === 'i', buildId: buildId!, signed, path, key }
    : undefined
}

/** Whether the build may be served at this Host. If each build has an origin of its own, it must be that one. */
export function isAtHome({ buildId }: Place, gamesUrl: string | undefined, host: string | undefined): boolean {
  if (!gamesUrl?.includes('*.')) return true
  return hostnameOf(host) === `${buildId}.${new URL(gamesUrl.replace('*.', '')).hostname}`
}

/** The host without its port. */
export const hostnameOf = (host = ''): string => URL.parse(`http://${host}`)?.hostname ?? ''

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
