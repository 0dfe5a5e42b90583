import { request as plain, type IncomingMessage } from 'node:http'
import { request as secure } from 'node:https'
import { outgoing } from '../../../shared/limits.ts'
import { failureOf, OutgoingError } from './outgoing-error.ts'
import { addressesOf, lookupOf, reachable, type Way } from './resolve.ts'

export interface OutgoingRequest {
  readonly url: string
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** The answer as it came: a redirect is not followed. */
export interface OutgoingResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** False: it comes from a network that the operator allows, and only operators read all of it. */
  readonly isPublic: boolean
}

/** Headers that say where a request ends and whom it is for; they are ours. */
const own = /^(host|connection|content-length|transfer-encoding|expect|upgrade|te|trailer|keep-alive|proxy-.*)$/i

/** One request over HTTP to another system. @throws OutgoingError */
export async function webCall(request: OutgoingRequest, way: Way): Promise<OutgoingResponse> {
  const url = addressOf(request.url)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const isSecure = url.protocol === 'https:'
  const port = Number(url.port || (isSecure ? 443 : 80))
  const signal = AbortSignal.timeout(way.seconds * 1000)
  const place = { host, port }
  let addresses: string[] = []
  const isEach = (named: boolean): boolean =>
    addresses.length > 0 && addresses.every((address) => way.guard.isNamed(address, port) === named)
  try {
    addresses = await addressesOf(place, way, signal)
    addresses = reachable(place, addresses, way.guard)
    if (!isSecure && !isEach(true)) throw needsTls(url)
    const answer = await answerOf(await send(url, request, { ...way, addresses }, signal), host)
    // a body without a length that was cut by the end of the time looks like a whole one
    signal.throwIfAborted()
    return { ...answer, isPublic: isEach(false) }
  } catch (error) {
    const failure = failureOf(error, url.host, signal, isEach(false))
    // whatever the name stands for: otherwise the text would tell which names are private
    if (isSecure || isEach(true)) throw failure
    throw new OutgoingError(failure.failure, failure.message, needsTls(url).message)
  }
}

const needsTls = ({ host }: URL): OutgoingError =>
  new OutgoingError('not allowed', `${host} has to be called with https, unless the operator allows its network.`)

function addressOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url
  throw new OutgoingError('not allowed', 'The address must be one such as https://host/path, without a user name.')
}

function send(
  url: URL,
  request: OutgoingRequest,
  { addresses, sentBytes = outgoing.sentBytes }: { addresses: string[]; sentBytes?: number | undefined },
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { method = 'GET', headers = {}, body = '' } = request
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const wrong = Object.keys(headers).find((name) => own.test(name))
  if (wrong !== undefined || bytes.length > sentBytes)
    throw new OutgoingError('not allowed', `The request for ${url.host} is too large, or sets a header of its own.`)
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const call = (url.protocol === 'https:' ? secure : plain)(url, {
    method,
    headers: { ...headers, 'accept-encoding': 'identity', ...(bytes.length > 0 && { 'content-length': bytes.length }) },
    lookup: lookupOf(addresses),
    // a connection of its own: no pool, no proxy
    agent: false,
    maxHeaderSize: outgoing.headerBytes,
    signal,
  })
  const end = (what: string) => void call.destroy(new OutgoingError('failed', `${url.hostname} ${what}.`))
  let early = 0
  call
    .once('response', resolve)
    // without this the call would end without an event, and hang with the whole thread
    .once('upgrade', (_answer, socket) => {
      socket.destroy()
      reject(new OutgoingError('failed', `${url.hostname} wants another protocol.`))
    })
    .on('information', () => ++early > outgoing.earlyAnswers && end('sends early answers without end'))
    .on('error', reject)
    .once('close', () => reject(new OutgoingError('failed', `${url.hostname} gave no answer.`)))
    .end(bytes)
  return promise
}

async function answerOf(answer: IncomingMessage, host: string): Promise<Omit<OutgoingResponse, 'isPublic'>> {
  const encoding = answer.headers['content-encoding'] ?? 'identity'
  const parts: Buffer[] = []
  let length = 0
  for await (const part of answer as AsyncIterable<Buffer>) {
    parts.push(part)
    length += part.length
    // a million pieces of one byte cost more than their bytes
    if (length > outgoing.bytes || parts.length > outgoing.pieces || encoding !== 'identity') {
      answer.destroy()
      throw new OutgoingError('failed', `${host} answers with too many bytes or pieces, or with compressed ones.`)
    }
  }
  const headers = Object.entries(answer.headers).map(([name, value]) => [name, [value].flat().join(', ')])
  return { status: answer.statusCode!, headers: Object.fromEntries(headers), body: Buffer.concat(parts) }
}
