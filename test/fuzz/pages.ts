import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { csrfToken } from '../../portal/session-cookie.ts'
import type { PortalSystem } from '../support/portal.ts'
import type { Studio } from '../support/studios.ts'
import type { Random } from '../torture/random.ts'
import { texts } from './values.ts'

/** A request of a browser. */
export interface PageShot {
  readonly url: string
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: Buffer
  readonly streams: boolean
}

const root = resolve(import.meta.dirname, '..', '..')
const sources = (pattern: string) => globSync(pattern, { cwd: root, exclude: ['**/*.test.ts'] }).map((file) => readFileSync(join(root, file), 'utf8')).join('\n')
/** As the portal names them. */
const routes = [...sources('portal/routes/*.ts').matchAll(/\.(get|post)\('(\/[^']*)'/g)].map(([, method, path]) => ({ method: method!.toUpperCase(), path: path! }))
const fields = [...new Set([...sources('portal/{pages,routes}/*.ts').matchAll(/(?:name="|form\(')([a-z_]+)/g)].map(([, name]) => name!))]
/** These end what all others need. */
const left = new Set(['POST /sign-out', 'POST /account/sign-out-everywhere', 'POST /account/password', 'POST /games/:id/delete'])

if (routes.length < 50 || fields.length < 15) throw new Error(`only ${routes.length} routes and ${fields.length} fields were found`)

/** Requests to every route of portal and player. */
export function pagesOf({ url, gamesUrl }: PortalSystem, studio: Studio, known: readonly string[]): (draw: Random) => PageShot {
  const text = (draw: Random): string => (draw.next() < 0.6 ? draw.of(known) : texts(draw)).toWellFormed()
  const part = (draw: Random): string => encodeURIComponent(text(draw))

  function portal(draw: Random): PageShot {
    const { method, path } = draw.of(routes.filter(({ method, path }) => !left.has(`${method} ${path}`)))
    const target = path.replaceAll('{', '').replaceAll('}', '').replaceAll(/:\w+/g, () => part(draw))
    const query = draw.next() < 0.4 ? `?${draw.of([...fields, 'after', 'next', 'from', 'to', 'page', 'cursor'])}=${part(draw)}` : ''
    const headers: Record<string, string> = {}
    const isIn = draw.next() < 0.8
    if (isIn) headers['cookie'] = `session=${studio.session}`
    if (draw.next() < 0.9) headers['origin'] = url
    if (draw.next() < 0.2) headers[draw.of(['accept-language', 'last-event-id', 'range', 'if-none-match', 'cookie', 'host', 'x-forwarded-for'])] = texts(draw).replaceAll(/[^\x20-\x7e]/g, '?').trim() || 'x'
    let body: Buffer | undefined
    if (method === 'POST') {
      const form = new URLSearchParams(draw.next() < 0.9 ? { csrf: csrfToken(studio.session) } : {})
      for (let count = draw.between(0, 8); count > 0; count--) form.append(draw.of(fields), text(draw))
      const isJson = draw.next() < 0.2
      if (isJson) headers['csrf'] = csrfToken(studio.session)
      headers['content-type'] = isJson ? 'application/json' : 'application/x-www-form-urlencoded'
      body = Buffer.from(isJson ? JSON.stringify(Object.fromEntries(form)) : form.toString())
      if (draw.next() < 0.1) body = body.subarray(0, draw.between(0, body.length))
    }
    return { url: `${url}${target}${query}`, method, headers, body, streams: /\/(?:live|events)$/.test(path) }
  }

  function files(draw: Random): PageShot {
    const target = Array.from({ length: draw.between(1, 4) }, () => (draw.next() < 0.3 ? draw.of(['b', 'packages', 'launch.json', 'index.html', '..', '%2e%2e', '%00']) : part(draw))).join('/')
    const headers: Record<string, string> = draw.next() < 0.3 ? { range: texts(draw).replaceAll(/[^\x20-\x7e]/g, '?').trim() || 'x' } : {}
    const method = draw.of(['GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE'])
    return { url: `${gamesUrl}/${draw.of(['b/', 'b/', 'packages/', 'p/', ''])}${target}?session=${part(draw)}`, method, headers, streams: false }
  }

  function storage(draw: Random): PageShot {
    const query = new URLSearchParams({ part: text(draw), expires: text(draw), signature: text(draw) })
    return { url: `${url}/storage/uploads/${part(draw)}?${query}`, method: draw.of(['PUT', 'PUT', 'GET', 'OPTIONS', 'POST']), headers: { 'content-type': 'application/octet-stream' }, streams: false }
  }

  return (draw) => {
    const which = draw.next()
    return which < 0.75 ? portal(draw) : which < 0.92 ? files(draw) : storage(draw)
  }
}
