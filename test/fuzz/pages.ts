import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { csrfToken } from '../../portal/web/session-cookie.ts'
import { portalAddresses } from '../support/portal-addresses.ts'
import type { PortalSystem } from '../support/portal.ts'
import type { Studio } from '../support/studios.ts'
import type { Random } from '../torture/random.ts'
import { shotOf, type Shot } from './shot.ts'
import { brokenNow, headerText, someText, texts, type Known } from './values.ts'

const root = resolve(import.meta.dirname, '..', '..')
const sources = (pattern: string) =>
  globSync(pattern, { cwd: root, exclude: ['**/*.test.ts'] })
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n')
const routes = portalAddresses
  .filter(([method]) => method === 'GET' || method === 'POST')
  .map(([method, path]) => ({ method, path }))
const fields = [
  ...new Set(
    [...sources('portal/{pages,routes}/**/*.ts').matchAll(/(?:name="|form\(\s*')([a-z_]+)/g)].map(([, name]) => name!),
  ),
]
/** These end what all others need. */
const left = new Set([
  'POST /sign-out',
  'POST /account/sign-out-everywhere',
  'POST /account/password',
  'POST /games/:id/delete',
])

if (routes.length < 50 || fields.length < 15)
  throw new Error(`only ${routes.length} routes and ${fields.length} fields were found`)

/** A part that may be sent to storage: where, and how many bytes it has. */
export interface Grant {
  readonly url: string
  readonly size: number
}

/** Requests to every route of portal and player, and parts of uploads. */
export function pagesOf(
  { url, gamesUrl }: PortalSystem,
  studio: Studio,
  known: Known,
  grants: readonly Grant[],
): (draw: Random) => Shot {
  const text = (draw: Random, name = ''): string => someText(draw, name, known).toWellFormed()
  const part = (draw: Random, name = ''): string => encodeURIComponent(text(draw, name))

  function portal(draw: Random): Shot {
    const { method, path } = draw.of(routes.filter(({ method, path }) => !left.has(`${method} ${path}`)))
    const target = path
      .replaceAll('{', '')
      .replaceAll('}', '')
      .replaceAll(
        /(\w+)\/:(\w+)/g,
        (_all, of: string, name: string) => `${of}/${part(draw, name === 'id' ? of : name)}`,
      )
    const query =
      draw.next() < 0.4 ? `?${draw.of([...fields, 'after', 'next', 'from', 'to', 'page', 'cursor'])}=${part(draw)}` : ''
    const headers: Record<string, string> = {}
    const isIn = draw.next() < 0.8
    if (isIn) headers['cookie'] = `session=${studio.session}`
    if (draw.next() < 0.9) headers['origin'] = url
    if (draw.next() < 0.2)
      headers[
        draw.of(['accept-language', 'last-event-id', 'range', 'if-none-match', 'cookie', 'host', 'x-forwarded-for'])
      ] =
        texts(draw)
          .replaceAll(/[^\x20-\x7e]/g, '?')
          .trim() || 'x'
    let body: Buffer | undefined
    if (method === 'POST') {
      const form = new URLSearchParams(draw.next() < 0.9 ? { csrf: csrfToken(studio.session) } : {})
      for (let count = draw.between(0, 8); count > 0; count--) {
        const name = draw.of(fields)
        form.append(name, text(draw, name))
      }
      const isJson = draw.next() < 0.2
      if (isJson) headers['csrf'] = csrfToken(studio.session)
      headers['content-type'] = isJson ? 'application/json' : 'application/x-www-form-urlencoded'
      body = Buffer.from(isJson ? JSON.stringify(Object.fromEntries(form)) : form.toString())
      if (draw.next() < 0.1) body = body.subarray(0, draw.between(0, body.length))
    }
    return shotOf(
      'page ',
      { url: `${url}${target}${query}`, method, headers, body },
      { streams: /\/(?:live|events)$/.test(path) },
    )
  }

  function files(draw: Random): Shot {
    const target = Array.from({ length: draw.between(1, 4) }, () =>
      draw.next() < 0.3 ? draw.of(['b', 'packages', 'launch.json', 'index.html', '..', '%2e%2e', '%00']) : part(draw),
    ).join('/')
    const headers: Record<string, string> =
      draw.next() < 0.3
        ? {
            range:
              texts(draw)
                .replaceAll(/[^\x20-\x7e]/g, '?')
                .trim() || 'x',
          }
        : {}
    const method = draw.of(['GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE'])
    const place =
      draw.next() < 0.5
        ? `b/${part(draw, 'buildId')}/${draw.of(['index.html', 'launch.json', 'game.js', part(draw)])}`
        : `${draw.of(['b/', 'packages/', 'p/', ''])}${target}`
    return shotOf('page ', {
      url: `${gamesUrl}/${place}`,
      method,
      headers: { ...headers, authorization: `Bearer ${part(draw, 'sessionSecret').replaceAll(/[^\x20-\x7e]/g, '?')}` },
    })
  }

  function storage(draw: Random): Shot {
    const grant = draw.of(grants)
    const isGranted = draw.next() < 0.6
    const query = new URLSearchParams({ part: text(draw), expires: text(draw), signature: text(draw) })
    const whole = Buffer.alloc(isGranted ? grant.size : draw.between(0, 100), draw.between(0, 255))
    const body =
      draw.next() < 0.7 ? whole : draw.next() < 0.5 ? Buffer.concat([whole, whole]) : brokenNow(draw, whole, 1)
    const target = isGranted
      ? brokenAddress(draw, new URL(grant.url, url).href)
      : `${url}/storage/uploads/${part(draw)}?${query}`
    const headers = { 'content-type': draw.next() < 0.9 ? 'application/octet-stream' : headerText(draw) }
    const method = draw.of(['PUT', 'PUT', 'PUT', 'PUT', 'GET', 'OPTIONS', 'POST'])
    return shotOf('page ', { url: target, method, headers, body: method === 'GET' ? undefined : body })
  }

  return (draw) => {
    const which = draw.next()
    return which < 0.75 ? portal(draw) : which < 0.92 ? files(draw) : storage(draw)
  }
}

/** Signed, unless a character of it is another. */
function brokenAddress(draw: Random, address: string): string {
  if (draw.next() < 0.8) return address
  const at = draw.between(address.indexOf('/storage/') + 9, address.length - 1)
  return `${address.slice(0, at)}${draw.of(['0', 'x', '%', '&', '/', ''])}${address.slice(at + 1)}`
}
