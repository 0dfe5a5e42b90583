import { randomBytes, hkdfSync } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endAll, freePorts, launch, temporaryFolder, type Launched } from '../start/fixtures/launch.ts'
import { UploadKind } from '../gen/lrs/v1/uploads_pb.js'
import { coreConnection } from './support/core-client.ts'
import { player, statement } from './support/statements.ts'
import { basic, bearer, xapiClient } from './support/xapi.ts'

const folder = temporaryFolder()
const s3 = {
  accessKey: `access-${randomBytes(8).toString('hex')}`,
  secretKey: `secret-${randomBytes(16).toString('hex')}`,
}
/** A store that refuses everything, and tells in its answer what it was sent. */
const store = createServer((request, response) => {
  response
    .writeHead(403, { 'content-type': 'application/xml' })
    .end(`<Error><Code>AccessDenied</Code><Message>${request.headers.authorization}</Message></Error>`)
})
let ports: number[]
let system: Launched

beforeAll(async () => {
  store.listen(0, '127.0.0.1')
  await once(store, 'listening')
  ports = await freePorts(5)
  const [gateway, portal, core, relay, player] = ports.map(String)
  const plain = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|LRS_|DATABASE_URL|.*_PORT$)/.test(name)),
  )
  system = launch(
    process.execPath,
    [join(import.meta.dirname, '../start/bootstrap.mjs'), join(import.meta.dirname, '../start/start.ts')],
    {
      env: {
        ...plain,
        LRS_DATA_DIR: folder,
        LRS_LOG_LEVEL: 'debug',
        GATEWAY_PORT: gateway,
        PORTAL_PORT: portal,
        CORE_PORT: core,
        CORE_RELAY_PORT: relay,
        PLAYER_PORT: player,
        LRS_STORAGE: 's3',
        LRS_S3_ENDPOINT: `http://127.0.0.1:${(store.address() as AddressInfo).port}`,
        LRS_S3_BUCKET: 'builds',
        LRS_S3_ACCESS_KEY: s3.accessKey,
        LRS_S3_SECRET_KEY: s3.secretKey,
      },
    },
  )
  await system.says('Ctrl-C stops everything')
}, 60_000)
afterAll(() => {
  store.close()
  endAll()
})

test(
  'five processes at level debug tell no secret, whether it was used well or badly',
  { timeout: 120_000 },
  async () => {
    const kept = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8'))
    const tokens = kept.serviceTokens as Record<'admin' | 'portal' | 'player' | 'gateway' | 'service', string>
    const captchaKey = (use: string) =>
      Buffer.from(hkdfSync('sha256', Buffer.from(kept.signingKey, 'base64url'), '', `games-lrs ${use}`, 32))
    const secrets = new Map<string, string>(
      Object.entries({
        ...tokens,
        signingKey: kept.signingKey,
        storageKey: kept.storageKey,
        s3Secret: s3.secretKey,
        captchaChallenge: captchaKey('captcha challenge').toString('hex'),
        captchaSolution: captchaKey('captcha solution').toString('hex'),
        knownBrowser: captchaKey('known browser').toString('hex'),
      }),
    )
    const [gateway, portalPort, core, , playerPort] = ports as [number, number, number, number, number]
    const [xapi, portal, games] = [gateway, portalPort, playerPort].map((port) => `http://127.0.0.1:${port}`) as [
      string,
      string,
      string,
    ]
    const connection = coreConnection(core)
    const { identity } = connection.as(bearer(tokens.admin))
    const { gameId } = await identity.createGame({ name: 'Chess' })
    const { key, secret } = await identity.issueCredential({ gameId })
    const { token } = await identity.mintLaunchToken({ key, actor: JSON.stringify(player('ann')) })
    secrets
      .set('secret of a credential', secret)
      .set('launch token', token)
      .set('signature of the launch token', token.split('.')[2]!)
      .set('Basic', basic(key, secret).slice(6))
    for (const authorization of [basic(key, secret), bearer(token), basic(key, `${secret}x`), bearer(`${token}x`)]) {
      const client = xapiClient(xapi, authorization)
      await client.post(statement())
      await client.post('{')
      await client.request('GET', 'statements', { query: { nonsense: authorization } })
      await fetch(`${games}/b/${crypto.randomUUID()}/launch.json?auth=${encodeURIComponent(authorization)}`, {
        headers: { authorization: bearer(randomBytes(32).toString('base64url')) },
      })
      await fetch(`${portal}/nowhere?auth=${encodeURIComponent(authorization)}`, { headers: { authorization } })
      await fetch(`http://127.0.0.1:${core}/lrs.v1.AdminService/GetStatus`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: '{"x":',
      })
    }
    const password = `correct horse ${randomBytes(8).toString('hex')}`
    secrets.set('password', password).set('wrong password', `${password} wrong`)
    const send = (path: string, form: Record<string, string>, cookie = '', origin = portal) =>
      fetch(`${portal}${path}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { origin, cookie },
        body: new URLSearchParams(form),
      })
    const email = 'fox@example.org'
    const signedUp = await send('/sign-up', { email, password, studio_name: 'Blue Fox' })
    expect(signedUp.status).toBe(303)
    const cookies = signedUp.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]!)
    for (const cookie of cookies)
      secrets.set(`cookie ${cookie.split('=', 1)[0]}`, cookie.slice(cookie.indexOf('=') + 1))
    await send('/sign-in', { email, password: `${password} wrong` }, cookies.join('; '))
    await send('/account/password', { current_password: password, password: `${password} wrong` }, cookies.join('; '))
    await send('/sign-in', { email, password }, '', 'https://evil.example')
    await fetch(`${portal}/studios/blue-fox/challenge`)
    const session = /session=([\w-]+)/.exec(cookies.join())![1]!
    const studio = connection.as(bearer(tokens.portal), { 'x-lrs-session': session })
    const made = await studio.games.createGame({ name: 'Quiz' })
    // the store refuses, and core has to say so in its log
    await expect(
      studio.uploads.requestUpload({
        gameId: made.gameId,
        kind: UploadKind.BROWSER_BUILD,
        fileName: 'quiz.zip',
        size: 1_000n,
      }),
    ).rejects.toThrow()
    await fetch(`${portal}/media/files/${crypto.randomUUID()}`)
    await fetch(`${games}/b/${crypto.randomUUID()}/index.html?auth=${encodeURIComponent(bearer(token))}`)
    connection.close()
    system.process.kill('SIGTERM')
    await system.exited

    const logs = existsSync(join(folder, 'logs'))
      ? readdirSync(join(folder, 'logs')).map((file) => readFileSync(join(folder, 'logs', file), 'utf8'))
      : []
    const said = [system.output(), ...logs].join('\n')
    for (const process of ['core', 'gateway', 'portal', 'player'])
      expect(said, process).toMatch(new RegExp(`${process}.* is ready|${process}.*ready`))
    expect(said).toContain('a form from elsewhere was refused')
    expect(secrets.size).toBeGreaterThan(15)
    for (const [what, value] of secrets) {
      expect(value.length, what).toBeGreaterThanOrEqual(16)
      for (const form of [
        value,
        encodeURIComponent(value),
        Buffer.from(value).toString('base64').replace(/=+$/, ''),
        Buffer.from(value).toString('hex'),
      ]) {
        expect(said.includes(form), `${what} was said: ${said.split('\n').find((line) => line.includes(form))}`).toBe(
          false,
        )
      }
    }
  },
)
