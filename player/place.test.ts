import { expect, test } from 'vitest'
import { isAtHome, fileAt } from './place.ts'

const build = '0a1b2c3d-0000-4000-8000-0123456789ab'

test.each<[target: string, key: string | undefined]>([
  [`/b/${build}/index.html`, `builds/${build}/index.html`],
  [`/b/${build}/`, `builds/${build}/index.html`],
  [`/i/${build}/`, `builds/${build}/index.html`],
  [`/i/${build}/../../files/secret`, undefined],
  [`/b/${build}/sub/?auth=1`, `builds/${build}/sub/index.html`],
  [`/b/${build}/Build/a%20b%C3%A4.js?x=/../..`, `builds/${build}/Build/a bä.js`],
  [`/d/${build}/Quiz%20Setup.exe`, `packages/${build}/Quiz Setup.exe`],
  ['/', undefined],
  [`/b/${build}`, undefined],
  [`/b/${build.toUpperCase()}/index.html`, undefined],
  ['/b/x/index.html', undefined],
  [`/c/${build}/index.html`, undefined],
  [`/b/${build}/../${build}/index.html`, undefined],
  [`/b/${build}/%2e%2e/%2e%2e/files/secret`, undefined],
  [`/b/${build}/..%2f..%2ffiles/secret`, undefined],
  [`/b/${build}/a/./b`, undefined],
  [`/b/${build}//etc/passwd`, undefined],
  [`/b/${build}/..%5c..%5csecret`, undefined],
  [`/b/${build}/a%00b`, undefined],
  [`/b/${build}/%zz`, undefined],
  [`/b/${build}/%c0%ae%c0%ae/x`, undefined],
  [`/d/${build}/a/b.exe`, undefined],
  [`/d/${build}/a%2fb.exe`, undefined],
  [`/d/${build}/`, undefined],
  [`//b/${build}/index.html`, undefined],
  [`http://other.example/b/${build}/index.html`, undefined],
])('%s', (target, key) => expect(fileAt(target)?.key).toBe(key))

test.each<[host: string | undefined, games: string | undefined, home: boolean]>([
  ['anything', undefined, true],
  [undefined, 'http://games.example:8084', true],
  [`${build}.games.example`, 'http://*.games.example', true],
  [`${build.toUpperCase()}.GAMES.example:8084`, 'http://*.games.example:8084/', true],
  ['0a1b2c3d-0000-4000-8000-0123456789ac.games.example', 'https://*.games.example', false],
  ['games.example', 'https://*.games.example', false],
  [`${build}.games.example.evil.example`, 'https://*.games.example', false],
  [undefined, 'https://*.games.example', false],
])('at host %s with %s: %s', (host, games, home) => expect(isAtHome(fileAt(`/b/${build}/`)!, games, host)).toBe(home))
