import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import {
  attachment,
  contentPart,
  jsonPart,
  multipart,
  multipartType,
  partsOf,
  type Part,
} from '../support/attachments.ts'
import { activity, player } from '../support/statements.ts'
import type { Random } from '../torture/random.ts'
import { shotOf, type Request, type Shot } from './shot.ts'
import { brokenNow, bytesOf, headerText, oddId, someStatement, texts } from './values.ts'

const resources = [
  'statements',
  'statements',
  'statements',
  'activities/state',
  'activities/profile',
  'agents/profile',
  'activities',
  'agents',
  'about',
  'nothing',
]
const parameters = [
  'statementId',
  'voidedStatementId',
  'agent',
  'verb',
  'activity',
  'registration',
  'related_activities',
  'related_agents',
  'since',
  'until',
  'limit',
  'format',
  'attachments',
  'ascending',
  'offset',
  'activityId',
  'stateId',
  'profileId',
  'method',
  'x',
]
const encoders: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  deflate: deflateSync,
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
}
/** What swells to a thousand times its size. */
const bombs = Object.values(encoders).map((encode) => encode(Buffer.alloc(16 * 1024 * 1024, ' ')))

export interface Gateway {
  readonly url: string
  /** Of a game, of a session. */
  readonly authorizations: readonly string[]
  /** Told of each body that was accepted and is still there. */
  readonly found: () => void
}

/** The same in the syntax for those who cannot set headers (xAPI 1.0.3 Communication 1.3). */
function asForm({ url, method, headers, body }: Request): Request {
  const { origin, pathname, searchParams } = new URL(url)
  const form = new URLSearchParams([...searchParams, ...Object.entries(headers)])
  if (body) form.append('content', body.toString())
  return {
    url: `${origin}${pathname}?method=${method}`,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(form.toString()),
  }
}

/** Requests to every resource of the gateway. */
export function restOf({ url: gateway, authorizations, found }: Gateway): (draw: Random) => Shot {
  const usual = { authorization: authorizations[0]!, 'x-experience-api-version': '1.0.3' }
  const get = (url: string) => fetch(url, { headers: usual })

  /** Each statement that was accepted is there, with what was sent. */
  const storedAgain =
    (body: Buffer, contents: readonly Buffer[] = []) =>
    async (answer: string) => {
      const ids = JSON.parse(answer) as string[]
      const sent = JSON.parse(body.toString()) as object | object[]
      const list = (Array.isArray(sent) ? sent : [sent]) as Record<string, unknown>[]
      for (const [index, id] of ids.entries()) {
        // drawn before, and the first one stays
        if (id === oddId) continue
        const reply = await get(`${gateway}/xapi/statements?statementId=${id}`)
        if (reply.status !== 200) return `the statement ${id} is ${reply.status}`
        const found_ = (await reply.json()) as Record<string, unknown>
        for (const name of ['verb', 'object', 'result', 'context'] as const) {
          if (JSON.stringify(found_[name]) !== JSON.stringify(list[index]![name]))
            return `${name} of ${id} is another: ${JSON.stringify(found_[name])}`
        }
        found()
        if (contents.length === 0) continue
        const whole = await get(`${gateway}/xapi/statements?statementId=${id}&attachments=true`)
        const [, ...parts] = partsOf(whole.headers.get('content-type'), Buffer.from(await whole.arrayBuffer()))
        if (!contents.every((content) => parts.some((part) => part.content.equals(content))))
          return `attachments of ${id} are missing or others`
      }
      return undefined
    }

  const documentAgain = (url: string, body: Buffer, isOwn: boolean) => async () => {
    const reply = await get(url)
    // somebody else may have deleted or replaced it since
    if (reply.status === 404 && !isOwn) return undefined
    const document = Buffer.from(await reply.arrayBuffer())
    found()
    if (isOwn && !document.equals(body))
      return `the document is another (${reply.status}): ${document.toString('latin1', 0, 300)}`
    return reply.status === 200 && (document.length > 0 || body.length === 0)
      ? undefined
      : `the document is ${reply.status}`
  }

  /** The bytes as an encoding has them, now and then broken or swollen; the headers say which. */
  function encoded(draw: Random, body: Buffer, headers: Record<string, string>): Buffer {
    if (draw.next() < 0.85) return body
    const name = draw.of(Object.keys(encoders))
    headers['content-encoding'] = draw.next() < 0.9 ? name : headerText(draw)
    return draw.next() < 0.03 ? draw.of(bombs) : brokenNow(draw, encoders[name]!(body))
  }

  function attachments(draw: Random): Shot {
    const contents = Array.from({ length: draw.between(1, 3) }, () =>
      Buffer.alloc(draw.of([0, 1, 100, 70_000]), draw.between(0, 255)),
    )
    const statement = {
      ...(draw.next() < 0.8 ? someStatement(draw, 0) : someStatement(draw)),
      attachments: contents.map((content) => attachment(content)),
    }
    if (draw.next() < 0.15)
      Object.assign(draw.of<object>(statement.attachments), {
        [draw.of(['sha2', 'length', 'contentType', 'fileUrl', 'display'])]: texts(draw),
      })
    const json = Buffer.from(JSON.stringify(statement))
    const parts: Part[] = [jsonPart(statement), ...contents.map((content) => contentPart(content))]
    if (draw.next() < 0.15) parts.splice(draw.between(0, parts.length - 1), draw.between(0, 1), draw.of(parts))
    if (draw.next() < 0.15)
      draw.of(parts).headers[draw.of(['Content-Type', 'X-Experience-API-Hash', 'Content-Transfer-Encoding', 'X'])] =
        headerText(draw)
    const whole = multipart(parts)
    const body = draw.next() < 0.7 ? whole : brokenNow(draw, whole, 1)
    const type =
      draw.next() < 0.9
        ? multipartType
        : draw.of([
            'multipart/mixed',
            'multipart/mixed; boundary=',
            `multipart/mixed; boundary=${'b'.repeat(100)}`,
            'multipart/form-data; boundary=x',
          ])
    const headers = { ...usual, 'content-type': type }
    const isWhole = body === whole && parts.length === contents.length + 1
    return shotOf(
      '',
      { url: `${gateway}/xapi/statements`, method: 'POST', headers, body },
      { again: isWhole ? storedAgain(json, contents) : undefined },
    )
  }

  function plain(draw: Random): Shot {
    const resource = draw.of(resources)
    const method = draw.of(['GET', 'GET', 'POST', 'POST', 'POST', 'PUT', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH'])
    const query = new URLSearchParams()
    // nobody else has it: what is put there stays
    const own = method === 'PUT' && draw.next() < 0.7 ? `own-${draw.between(0, 2 ** 31)}` : undefined
    const meant: Record<string, string> = {
      agent: JSON.stringify(player(own ?? 'ann')),
      activity: activity('chess').id,
      activityId: activity(own ?? 'chess').id,
      verb: 'https://games.example.org/verbs/played',
      limit: '10',
      stateId: own ?? 's',
      profileId: own ?? 'p',
      since: '2026-11-21T00:00:00Z',
      registration: crypto.randomUUID(),
      statementId: crypto.randomUUID(),
      ascending: 'true',
      attachments: 'true',
      format: 'ids',
    }
    const fitting =
      resource === 'statements'
        ? method === 'GET'
          ? ['agent', 'verb', 'limit', 'since']
          : method === 'PUT'
            ? ['statementId']
            : []
        : resource.endsWith('state')
          ? ['activityId', 'agent', 'stateId']
          : resource === 'activities/profile'
            ? ['activityId', 'profileId']
            : resource === 'agents/profile'
              ? ['agent', 'profileId']
              : resource === 'activities'
                ? ['activityId']
                : resource === 'agents'
                  ? ['agent']
                  : []
    for (const name of fitting)
      if (draw.next() < 0.9) query.append(name, draw.next() < 0.8 ? meant[name]! : texts(draw))
    if (draw.next() < 0.3) query.append(draw.of(parameters), texts(draw))
    const headers: Record<string, string> = {
      ...usual,
      'content-type': draw.next() < 0.9 ? 'application/json' : headerText(draw),
    }
    // a session writes in the name of its learner: what it stores is not as it was sent
    const isSession = method !== 'PUT' && draw.next() < 0.1
    if (isSession) headers['authorization'] = draw.of(authorizations)
    if (draw.next() < 0.1)
      headers[
        draw.of([
          'authorization',
          'x-experience-api-version',
          'if-match',
          'if-none-match',
          'accept-language',
          'accept',
          'content-encoding',
          'x-request-id',
          'origin',
        ])
      ] = headerText(draw)
    if (draw.next() < 0.3) headers['x-experience-api-version'] = draw.of(['1.0.3', '1.0', '2.0.0', '2.0'])
    const takesBody = method === 'POST' || method === 'PUT'
    const value =
      draw.next() < 0.7
        ? method === 'PUT'
          ? someStatement(draw)
          : Array.from({ length: draw.between(0, 4) }, () => someStatement(draw))
        : someStatement(draw)
    const isForm = draw.next() < 0.05
    const drawn = takesBody ? bytesOf(draw, value) : undefined
    const content = isForm && drawn ? Buffer.from(drawn.toString()) : drawn
    const body = content && (isForm ? content : encoded(draw, content, headers))
    const url = `${gateway}/xapi/${resource}?${query}`
    const encoder = Object.entries(encoders).find(([name]) => name === headers['content-encoding'])?.[1]
    const isSent = body === content || encoder?.(content!).equals(body!)
    const again =
      isSession || !isSent
        ? undefined
        : resource === 'statements' && method === 'POST'
          ? storedAgain(content!)
          : method === 'PUT' && resource.includes('/')
            ? documentAgain(url, content!, own !== undefined && url.includes(own))
            : undefined
    return shotOf('', isForm ? asForm({ url, method, headers, body }) : { url, method, headers, body }, { again })
  }

  return (draw) => (draw.next() < 0.12 ? attachments(draw) : plain(draw))
}
