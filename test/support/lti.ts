import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose'
import { claim } from '../../core/connections/rules/lti-claims.ts'
import { scopes } from '../../core/connections/rules/lti-grade.ts'
import type { CoreClient } from './core-client.ts'

export const membership = (role: string) => `http://purl.imsglobal.org/vocab/lis/v2/membership#${role}`

/** A page of a course with a tool in a frame, and with the storage that LTI has for tools. */
const course = (login: string, storage: boolean) => `<!doctype html><title>Course</title><h1>Course</h1>
<iframe src="${login}" width="900" height="600"></iframe>
<script>
  const kept = new Map()
  if (${storage}) addEventListener('message', ({ data, source, origin }) => {
    if (data.subject === 'lti.put_data') kept.set(data.key, data.value)
    if (!/^lti\\.(put|get)_data$/.test(data.subject)) return
    const { subject, message_id, key } = data
    source.postMessage({ subject: subject + '.response', message_id, key, value: kept.get(key) }, origin)
  })
</script>`

interface SentScore {
  readonly item: string
  readonly userId: string
  readonly scoreGiven: number
  readonly timestamp: string
}

async function textOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const part of request) body += String(part)
  return body
}

/** Sends a browser back to the tool, as platforms do. */
const back = (to: string, state: string, idToken: string) => `<!doctype html><form method="post" action="${to}">
<input name="state" value="${state}"><input name="id_token" value="${idToken}"></form><script>document.forms[0].submit()</script>`

/**
 * A learning platform made by hand: it serves its keys, registers tools, signs what it is told, and has a course with the
 * tool in a frame. For browsers it is another site than the portal.
 */
export async function startPlatform() {
  const [good, evil] = await Promise.all([
    generateKeyPair('RS256', { extractable: true }),
    generateKeyPair('RS256', { extractable: true }),
  ])
  const jwk = { ...(await exportJWK(good.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }
  const state = {
    fetches: 0,
    registered: undefined as Record<string, unknown> | undefined,
    token: '',
    /** What the frame of the course shows. */
    login: '',
    storage: true,
    /** How often the members of the course x1 were asked for, who they are, and how they are sent. */
    lists: 0,
    members: [] as object[] | undefined,
    ofPage: 50,
    /** This page and later ones fail. */
    failsAt: Infinity,
    /** Where pages after the first one are. */
    nextAt: '',
    /** Further claims of launches from the course. */
    more: {} as JWTPayload,
    /** Access tokens that were given; only the newest is taken. */
    tokens: [] as URLSearchParams[],
    items: [] as { id: string; resourceLinkId: string }[],
    /** Scores in the order in which they were taken. */
    scores: [] as SentScore[],
    /** The status with which scores are refused; 0: they are taken. */
    refuse: 0,
    /** Scores that were refused. */
    refused: 0,
  }
  const server = createServer((request, response) => {
    const answer = (body: unknown) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
    const { pathname: path, searchParams } = new URL(request.url!, issuer)
    if (path === '/keys') {
      state.fetches++
      answer({ keys: [jwk] })
    } else if (path === '/config')
      answer({
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        registration_endpoint: `${issuer}/register`,
      })
    else if (path === '/course') response.setHeader('content-type', 'text/html').end(course(state.login, state.storage))
    else if (path === '/auth') {
      const to = searchParams.get('redirect_uri')!
      const claims = answers.claims(new URL(to).origin, searchParams.get('nonce')!, state.more)
      void answers
        .sign(claims)
        .then((token) =>
          response.setHeader('content-type', 'text/html').end(back(to, searchParams.get('state')!, token)),
        )
    } else if (path === '/token')
      void textOf(request).then((body) => {
        state.tokens.push(new URLSearchParams(body))
        answer({ access_token: `t${state.tokens.length}`, token_type: 'Bearer', expires_in: 3600 })
      })
    else if (path.startsWith('/items'))
      void textOf(request).then((body) => {
        const isRight = request.headers.authorization === `Bearer t${state.tokens.length}`
        const found = isRight ? grade(path, request.method!, body) : 401
        if (typeof found === 'number') response.writeHead(found).end()
        else answer(found)
      })
    else if (path === '/register') {
      state.token = request.headers.authorization ?? ''
      void textOf(request).then((body) => {
        state.registered = JSON.parse(body) as Record<string, unknown>
        answer({
          ...state.registered,
          client_id: 'dynamic',
          'https://purl.imsglobal.org/spec/lti-tool-configuration': { deployment_id: 'd9' },
        })
      })
    } else if (path === '/members') {
      const page = Number(searchParams.get('page') ?? 1)
      if (page === 1) state.lists++
      const rest = (state.members ?? []).slice(page * state.ofPage)
      if (request.headers.authorization !== `Bearer t${state.tokens.length}`) response.writeHead(401).end()
      else if (page >= state.failsAt) response.writeHead(500).end()
      else {
        const next = `<${state.nextAt || issuer}/members?page=${page + 1}>; rel="next"`
        response.setHeader(
          'link',
          `<${issuer}/members?since=1>; rel="differences"${rest.length > 0 ? `, ${next}` : ''}`,
        )
        answer({
          id: request.url,
          context: { id: 'x1' },
          members: state.members?.slice((page - 1) * state.ofPage, page * state.ofPage),
        })
      }
    } else response.writeHead(404).end()
  })
  /** Line items and scores; a score that is not newer than the last one is refused, as Moodle does. */
  function grade(path: string, method: string, body: string): unknown {
    if (path === '/items' && method === 'GET') return state.items
    if (path === '/items') {
      const made = {
        ...(JSON.parse(body) as { resourceLinkId: string }),
        id: `${issuer}/items/${state.items.length + 1}?type=3`,
      }
      state.items.push(made)
      return made
    }
    const score = { item: path, ...(JSON.parse(body) as Omit<SentScore, 'item'>) }
    const last = state.scores.findLast(({ item, userId }) => item === path && userId === score.userId)
    const status = last && last.timestamp >= score.timestamp ? 409 : state.refuse
    if (status !== 0) return (state.refused++, status)
    state.scores.push(score)
    return {}
  }
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`
  const answers = {
    issuer,
    state,
    settings: (clientId = 'c1') => ({
      name: 'Moodle',
      issuer,
      clientId,
      loginUrl: `${issuer}/auth`,
      tokenUrl: `${issuer}/token`,
      jwksUrl: `${issuer}/keys`,
      deployments: ['d1'],
      origins: [],
    }),
    /** Claims of a launch of a learner. */
    claims: (portal: string, nonce: string, more: JWTPayload = {}): JWTPayload => {
      const now = Math.floor(Date.now() / 1000)
      return {
        iss: issuer,
        aud: 'c1',
        sub: 'u1',
        name: 'Ada',
        iat: now,
        exp: now + 300,
        nonce,
        [claim.type]: 'LtiResourceLinkRequest',
        [claim.version]: '1.3.0',
        [claim.deployment]: 'd1',
        [claim.target]: `${portal}/lti/launch`,
        [claim.link]: { id: 'r1', title: 'Fractions' },
        [claim.context]: { id: 'x1', title: '4b' },
        [claim.roles]: [membership('Learner')],
        ...more,
      }
    },
    sign: (claims: JWTPayload, kid = 'k1') =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(good.privateKey),
    /** By a key that the platform does not have. */
    forge: (claims: JWTPayload) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k1' }).sign(evil.privateKey),
    unsigned: (claims: JWTPayload) => new UnsecuredJWT(claims).encode(),
    /** HS256, with the public key as the secret. */
    confused: async (claims: JWTPayload) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
        .sign(Buffer.from(await exportSPKI(good.publicKey))),
    close: () =>
      new Promise<void>((done) => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }
  return answers
}

export type TestPlatform = Awaited<ReturnType<typeof startPlatform>>

/** A session that a learner starts from a link for which the platform takes grades. */
export async function startGraded(
  lti: CoreClient['lti'],
  platform: TestPlatform,
  { schoolId, ...more }: { readonly schoolId: string } & JWTPayload,
) {
  const portalUrl = 'https://portal.example'
  const of = { portalUrl, senderIp: '127.0.0.1' }
  const targetLinkUri = `${portalUrl}/lti/launch`
  const begun = await lti.startLtiLogin({ ...of, schoolId, issuer: platform.issuer, loginHint: 'h', targetLinkUri })
  const claims = platform.claims(portalUrl, new URL(begun.address).searchParams.get('nonce')!, {
    [claim.grades]: { lineitems: `${platform.issuer}/items`, scope: Object.values(scopes) },
    ...more,
  })
  const { token } = await lti.launchLti({
    ...of,
    state: begun.state,
    idToken: await platform.sign(claims),
    isBound: true,
  })
  return (await lti.startLtiPlay({ token })).launch!
}

/** Sends what a game says of itself or of a level; until it is taken. */
export async function report(
  url: string,
  { token, actor, registration, activityId }: Awaited<ReturnType<typeof startGraded>>,
  verb: string,
  scaled?: number,
  object = activityId,
): Promise<void> {
  const body = JSON.stringify({
    id: randomUUID(),
    actor: JSON.parse(actor) as object,
    verb: { id: `http://adlnet.gov/expapi/verbs/${verb}` },
    object: { id: object },
    context: { registration },
    timestamp: new Date().toISOString(),
    ...(scaled !== undefined && { result: { score: { scaled } } }),
  })
  const headers = {
    authorization: `Bearer ${token}`,
    'x-experience-api-version': '1.0.3',
    'content-type': 'application/json',
  }
  for (let left = 100; ; left--) {
    const status = await fetch(`${url}/xapi/statements`, { method: 'POST', headers, body }).then(
      (answer) => answer.status,
      () => 0,
    )
    if (status === 200) return
    if (left === 0 || (status >= 400 && status < 500)) throw new Error(`a statement was answered with ${status}`)
    await sleep(100)
  }
}
