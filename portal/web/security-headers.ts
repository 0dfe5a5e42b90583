import type { RequestHandler, Response } from 'express'

export interface Allowed {
  /** Origins of games that a page shows in a frame. */
  readonly frames?: readonly string[]
  /** What scripts may connect to. */
  readonly connect?: readonly string[]
  /** Origins of pages that may show the page in a frame. */
  readonly parents?: readonly string[]
  /** Further origins that forms may be sent to. */
  readonly forms?: readonly string[]
}

const own = "'self'"

const directives = ({ frames = [], connect = [own], parents = [], forms = [] }: Allowed) => [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  `connect-src ${connect.join(' ')}`,
  `frame-src ${frames.length > 0 ? frames.join(' ') : "'none'"}`,
  `form-action ${[own, ...forms].join(' ')}`,
  "base-uri 'none'",
  `frame-ancestors ${parents.length > 0 ? parents.join(' ') : "'none'"}`,
]

/**
 * On every answer. The referrer stays inside: without any, browsers would send forms with the origin `null`.
 * @param portalUrl as the setting has it; undefined: the portal is where the visitor found it
 */
export const securityHeaders =
  (uploadOrigins: readonly string[], portalUrl: string | undefined): RequestHandler =>
  (request, response, next) => {
    const connect = [own, ...uploadOrigins]
    response.locals['connect'] = connect
    if (portalUrl?.startsWith('https:') ?? request.secure)
      response.set('Strict-Transport-Security', 'max-age=31536000; includeSubDomains')
    response.set({
      'Content-Security-Policy': directives({ connect }).join('; '),
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'same-origin',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
    })
    next()
  }

/** A page that shows a game: allows its origin in a frame. @param isolated the page and the game are isolated */
export function allowFrame(response: Response, origin: string, isolated: boolean): void {
  if (isolated) response.set('Cross-Origin-Embedder-Policy', 'require-corp')
  allow(response, [origin])
}

/**
 * A page that other sites may show in a frame: only those of /embed and of launches from learning platforms. If the game is isolated, the pages around have to be
 * isolated, too. Browsers then load only pages in them that are isolated and allow it by CORP.
 */
export function allowParents(response: Response, origins: readonly string[], isolated: boolean): void {
  response.locals['parents'] = origins
  if (isolated)
    response.set({ 'Cross-Origin-Embedder-Policy': 'require-corp', 'Cross-Origin-Resource-Policy': 'cross-origin' })
  allow(response, [])
}

/** A page whose scripts call other systems, and not the portal. */
export function connectOnly(response: Response, origins: readonly string[]): void {
  response.locals['connect'] = origins
  allow(response, [])
}

/** A page with a form that goes to another system. */
export function allowForm(response: Response, origin: string): void {
  allow(response, [], [origin])
}

function allow(response: Response, frames: readonly string[], forms: readonly string[] = []): void {
  const { connect, parents } = response.locals as Pick<Allowed, 'connect' | 'parents'>
  response.set('Content-Security-Policy', directives({ frames, connect, parents, forms }).join('; '))
}
