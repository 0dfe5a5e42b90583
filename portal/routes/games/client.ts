import { join } from 'node:path'
import express, { Router } from 'express'
import { clientPackages, packClient } from './client-packages.ts'

const folder = join(import.meta.dirname, '..', '..', '..', 'clients', 'javascript')

const files = (of: string, caching: string) =>
  express.static(join(folder, of), {
    redirect: false,
    cacheControl: false,
    index: false,
    // games live on other origins
    setHeaders: (response) =>
      response
        .setHeader('Cache-Control', caching)
        .setHeader('Access-Control-Allow-Origin', '*')
        .setHeader('Cross-Origin-Resource-Policy', 'cross-origin'),
  })

/** The clients for engines, each packed when it is asked for the first time. */
function packages(): Router {
  const packed = new Map<string, Buffer>()
  const router = Router()
  for (const [name, from] of Object.entries(clientPackages))
    router.get(`/client/${name}`, (_request, response) => {
      const bytes = packed.get(name) ?? packClient(from)
      packed.set(name, bytes)
      response.set('Cache-Control', 'no-cache').type('application/zip').send(bytes)
    })
  return router
}

/** The clients for games. Files in the folder of a version never change, and stay; files outside of it are the newest. */
export const gameClient = (): Router =>
  Router()
    .use('/client', files('released', 'public, max-age=31536000, immutable'))
    .use(packages())
    .use('/client', files('dist', 'no-cache'))
