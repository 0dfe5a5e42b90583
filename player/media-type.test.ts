import { expect, test } from 'vitest'
import { accepts, mediaOf } from './media-type.ts'

test.each<[name: string, type: string, encoding?: string]>([
  ['index.html', 'text/html; charset=utf-8'],
  ['Build/game.wasm', 'application/wasm'],
  ['Build/game.wasm.br', 'application/wasm', 'br'],
  ['Build/game.framework.js.gz', 'text/javascript; charset=utf-8', 'gzip'],
  ['Build/game.data.br', 'application/octet-stream', 'br'],
  ['a.JS.GZ', 'text/javascript; charset=utf-8', 'gzip'],
  ['levels.tar.gz', 'application/gzip'],
  ['game.pck', 'application/octet-stream'],
  ['a.mjs', 'text/javascript; charset=utf-8'],
  ['sound.ogg', 'audio/ogg'],
  ['font.woff2', 'font/woff2'],
  ['picture.svg', 'image/svg+xml'],
  ['LICENSE', 'application/octet-stream'],
  ['.br', 'application/octet-stream'],
  ['html', 'application/octet-stream'],
])('%s is %s %s', (name, type, encoding) => {
  expect(mediaOf(name)).toEqual({ type, ...(encoding && { encoding }) })
})

test.each<[header: string | undefined, accepted: boolean]>([
  [undefined, false],
  ['', false],
  ['gzip, deflate, br', true],
  ['br;q=0', false],
  ['br;q=0.5, gzip', true],
  ['BR', true],
  ['brotli', false],
  ['gzip', false],
  ['br; q=0.0', false],
])('Accept-Encoding %s takes br: %s', (header, accepted) => expect(accepts(header, 'br')).toBe(accepted))
