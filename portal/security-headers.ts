import type { RequestHandler, Response } from 'express'

export interface Allowed {
  /** Origins of games that a page shows in a frame. */
  readonly frames?: readonly string[]
  /** Further origins that scripts may connect to. */
  readonly connect?: readonly string[]
}

const directives = ({ frames = [], connect = [] }: Allowed) => [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  `connect-src ${["'self'", ...connect].join(' ')}`,
  `frame-src ${frames.length > 0 ? frames.join(' ') : "'none'"}`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
]

/**
 * On every answer. The referrer stays inside: without any, browsers would send forms with the origin `null`.
 * @param portalUrl as the setting has it; undefined: the portal is where the visitor found it
 */
export const securityHeaders =
  (uploadOrigins: readonly string[], portalUrl: string | undefined): RequestHandler =>
  (request, response, next) => {
    response.locals['connect'] = uploadOrigins
    if (portalUrl?.startsWith('https:') ?? request.secure) response.set('Strict-Transport-Security', 'max-age=31536000')
    response.set({
      'Content-Security-Policy': directives({ connect: uploadOrigins }).join('; '),
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
  response.set(
    'Content-Security-Policy',
    directives({ frames: [origin], connect: response.locals['connect'] as string[] }).join('; '),
  )
}
