import { Agent, request as send, type IncomingMessage, type RequestOptions as HttpOptions } from 'node:http'
import { Readable } from 'node:stream'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

/** Values of query parameters: objects go as JSON, what is undefined is left out. */
export type Query = Record<string, string | number | boolean | object | undefined>

export interface Reply {
  status: number
  headers: Headers
  bytes: Buffer
  text: string
  /** Of the body. */
  // oxlint-disable-next-line typescript/no-explicit-any
  json: any
}

export interface RequestOptions {
  query?: Query
  /** Bytes and texts as they are, everything else as JSON. */
  body?: unknown
  headers?: Record<string, string | undefined>
  signal?: AbortSignal
}

export interface XapiClient {
  readonly url: string
  request(method: string, path: string, options?: RequestOptions): Promise<Reply>
  /** POST of one statement or many. */
  post(statements: unknown, headers?: RequestOptions['headers']): Promise<Reply>
  put(statementId: string, statement: unknown): Promise<Reply>
  /** GET of statements. */
  get(query?: Query, headers?: RequestOptions['headers']): Promise<Reply>
  /** Every statement that the query and its `more` links find. */
  all(query?: Query): Promise<Reply['json'][]>
  /** The same client with another Authorization. */
  as(authorization: string): XapiClient
}

// fetch takes several times as much of the processor, and the tests send some 50,000 requests
const agent = new Agent({ keepAlive: true })

function exchange(target: URL, options: HttpOptions, body: unknown): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let response: IncomingMessage | undefined
    const request = send(target, { ...options, agent }, (begun) => {
      response = begun
      const pieces: Buffer[] = []
      begun
        .on('data', (piece: Buffer) => pieces.push(piece))
        .on('end', () => resolve(replyOf(begun, decoded(begun, Buffer.concat(pieces)))))
        .on('error', reject)
    })
    // who is answered before all was sent may not be able to send the rest
    request.on('error', (error) => response ?? reject(error))
    if (body instanceof ReadableStream) Readable.fromWeb(body).on('error', reject).pipe(request)
    else if (body === undefined) request.end()
    else request.end(typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body))
  })
}

const codings: Record<string, (bytes: Buffer) => Buffer> = { gzip: gunzipSync, br: brotliDecompressSync }

function decoded({ headers }: IncomingMessage, bytes: Buffer): Buffer {
  const decode = codings[headers['content-encoding'] ?? '']
  return decode && bytes.length > 0 ? decode(bytes) : bytes
}

function replyOf({ statusCode, rawHeaders }: IncomingMessage, bytes: Buffer): Reply {
  const headers = new Headers()
  for (let n = 0; n < rawHeaders.length; n += 2) headers.append(rawHeaders[n]!, rawHeaders[n + 1]!)
  return {
    status: statusCode!,
    headers,
    bytes,
    get text() {
      return bytes.toString('utf8')
    },
    get json() {
      return JSON.parse(bytes.toString('utf8'))
    },
  }
}

/** A client of a gateway. @param url without /xapi */
export function xapiClient(url: string, authorization: string, version = '1.0.3'): XapiClient {
  async function request(
    method: string,
    path: string,
    { query = {}, body, headers = {}, signal }: RequestOptions = {},
  ): Promise<Reply> {
    const target = path.startsWith('/xapi') ? new URL(path, url) : new URL(`/xapi/${path}`, url)
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined)
        target.searchParams.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
    }
    const all = {
      authorization,
      'x-experience-api-version': version,
      'content-type': body === undefined ? undefined : 'application/json',
      ...headers,
    }
    const sent = Object.fromEntries(
      Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
    )
    return exchange(target, { method, headers: sent, signal }, body)
  }

  const get: XapiClient['get'] = (query, headers) => request('GET', 'statements', { query, headers })
  return {
    url,
    request,
    post: (body, headers) => request('POST', 'statements', { body, headers }),
    put: (statementId, body) => request('PUT', 'statements', { query: { statementId }, body }),
    get,
    async all(query) {
      const found = []
      let page = await get(query)
      for (;;) {
        if (page.status !== 200) throw new Error(`GET /statements: ${page.status} ${page.text}`)
        const { statements, more } = page.json
        found.push(...statements)
        if (more === '') return found
        page = await request('GET', more)
      }
    },
    as: (other) => xapiClient(url, other, version),
  }
}

export const basic = (key: string, secret: string) => `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`
export const bearer = (token: string) => `Bearer ${token}`
