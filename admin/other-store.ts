import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SettingError } from '../shared/settings/kinds.ts'
import { fileOf, keepContent } from './contents.ts'
import { Failed } from './failed.ts'
import { elementsOf, memberOf } from './json-spans.ts'
import { boundaryOf, partsOf } from './multipart.ts'
import type { Session } from './session.ts'
import { bytes } from './show.ts'

/** A page of statements of another store. */
export interface Page {
  readonly statements: readonly Uint8Array[]
  /** Where the contents of attachments are. */
  readonly contents: string
  /** Of the next page; empty: it was the last one. */
  readonly more: string
  /** What is stored until then is complete; undefined: it does not say. */
  readonly consistentThrough?: string
  /** Removes the contents. */
  drop(): Promise<void>
}

export interface OtherStore {
  /** @param place query of the first page, or `more` of the one before. undefined: there is no such page any more */
  page(place: URLSearchParams | string): Promise<Page | undefined>
  /** A statement that is voided. */
  voided(id: string): Promise<Uint8Array | undefined>
  /** Removes what pages have left. */
  close(): Promise<void>
}

const attempts = 8
const longestWaitMs = 15_000
const timeoutMs = 5 * 60_000
const mostHops = 5
const mostJsonBytes = 512 * 1024 * 1024
/** Of the content of one attachment. */
const mostContentBytes = 1024 * 1024 * 1024

/** A store that speaks xAPI, by its endpoint. @param auth `key:secret` @throws SettingError */
export function otherStore({ ending, note }: Session, endpoint: string, auth: string, version: string): OtherStore {
  const base = URL.parse(endpoint)
  if (base === null || !/^https?:$/.test(base.protocol))
    throw new SettingError('--from must be the xAPI endpoint of the other store, such as https://lrs.example.org/xapi.')
  if (base.username !== '' || base.password !== '')
    throw new SettingError('--from must not contain a password. Put key:secret into LRS_IMPORT_AUTH.')
  if (!auth.includes(':')) throw new SettingError('--auth (or LRS_IMPORT_AUTH) must be key:secret of the other store.')
  const headers = {
    authorization: `Basic ${Buffer.from(auth).toString('base64')}`,
    'x-experience-api-version': version,
  }
  let root: Promise<string> | undefined
  const resource = (query: URLSearchParams) => new URL(`${base.pathname.replace(/\/+$/, '')}/statements?${query}`, base)

  /** An address that the store names. The credential is for this store, wherever it sends us. @throws Failed */
  function within(place: string, from: URL): URL {
    const url = URL.parse(place, from)
    if (url === null) throw new Failed(`The other store names an invalid URL: ${place.slice(0, 100)}`)
    if (url.origin !== base!.origin)
      throw new Failed(
        `The other store redirects to another origin, ${url.origin}. If you trust it with the credential, name it with --from.`,
      )
    url.username = url.password = ''
    return url
  }

  async function answerOf(url: URL): Promise<Response> {
    for (let hops = 0; hops <= mostHops; hops++) {
      const response = await fetch(url, {
        headers,
        redirect: 'manual',
        signal: AbortSignal.any([ending, AbortSignal.timeout(timeoutMs)]),
      })
      const to = response.headers.get('location')
      if (to === null || response.status < 300 || response.status > 399) return response
      await leave(response)
      url = within(to, url)
    }
    throw new Failed('The other store redirects too often.')
  }

  /** Asks until there is an answer that is worth one; what is theirs to solve is waited for. */
  async function ask<T>(url: URL, read: (response: Response) => Promise<T>): Promise<T> {
    for (let n = 1, wait = 500; ; n++, wait = Math.min(longestWaitMs, wait * 2)) {
      let why: string
      let fault: Failed | undefined
      try {
        const response = await answerOf(url)
        if (response.status !== 429 && response.status < 500) return await read(response)
        why = `answers ${response.status}`
        await response.body?.cancel()
        wait = Math.max(wait, Math.min(60, Number(response.headers.get('retry-after')) || 0) * 1000)
      } catch (error) {
        if (ending.aborted || (error instanceof Failed && error.exitCode !== 3)) throw error
        if (error instanceof Failed) fault = error
        why = fault ? 'broke off' : `does not answer (${reasonOf(error)})`
      }
      const stays = fault !== undefined || /ENOTFOUND|ECONNREFUSED/.test(why)
      if (n === attempts || (n > 2 && stays)) throw fault ?? new Failed(`The other store at ${base!.host} ${why}.`, 3)
      if (n === 3) note(`The other store ${why}; trying again …`)
      await sleep(wait, undefined, { signal: ending })
    }
  }

  return {
    async page(place) {
      const url = typeof place === 'string' ? within(place, base) : resource(place)
      return ask(url, async (response) => {
        if (typeof place === 'string' && [400, 404, 410].includes(response.status)) return leave(response)
        await requireGood(response, base.host)
        return readPage(response, await (root ??= mkdtemp(join(tmpdir(), 'games-lrs-import-'))))
      })
    },
    voided: (id) =>
      ask(resource(new URLSearchParams({ voidedStatementId: id })), async (response) => {
        if (response.status === 404) return leave(response)
        await requireGood(response, base.host)
        const json = await whole(bodyOf(response))
        if (!isObject(parsed(json))) throw new Failed(`The other store returned no statement for ${id}.`)
        return json
      }),
    async close() {
      if (root) await rm(await root, { recursive: true, force: true })
    },
  }
}

async function leave({ body }: Response): Promise<undefined> {
  await body?.cancel()
}

async function requireGood(response: Response, host: string): Promise<void> {
  if (response.status === 200) return
  const text = (await beginningOf(response)).replaceAll(/\s+/g, ' ').slice(0, 200)
  if (response.status === 401 || response.status === 403)
    throw new Failed(`${host} refuses the credential (${response.status}). Check --auth or LRS_IMPORT_AUTH. ${text}`)
  if (response.status === 404)
    throw new Failed(`${host} has no xAPI endpoint at this path (404). The path of --from often ends in /xapi.`)
  throw new Failed(`${host} answers ${response.status}: ${text}`)
}

async function beginningOf(response: Response): Promise<string> {
  for await (const chunk of bodyOf(response)) return Buffer.from(chunk).toString()
  return ''
}

async function readPage(response: Response, root: string): Promise<Page> {
  const contents = await mkdtemp(join(root, 'page-'))
  const drop = () => rm(contents, { recursive: true, force: true })
  try {
    const boundary = boundaryOf(response.headers.get('content-type') ?? '')
    const body = bodyOf(response)
    let json: Uint8Array | undefined
    if (boundary === undefined) json = await whole(body)
    else {
      for await (const { headers, body: content } of partsOf(body, boundary)) {
        const sha2 = headers.get('x-experience-api-hash') ?? ''
        const file = fileOf(contents, sha2)
        if (json === undefined) json = await whole(content)
        else if (file !== undefined)
          await keepContent(file, sha2, bounded(content, mostContentBytes, `The content of the attachment ${sha2}`))
      }
    }
    const { statements, more }: { statements?: unknown; more?: unknown } = (json && Object(parsed(json))) ?? {}
    const list = json && memberOf(json, 'statements')
    if (list === undefined || !Array.isArray(statements))
      throw new Failed('The other server is not an xAPI store: a page has no statements.')
    const elements = elementsOf(list)
    if (elements.length !== statements.length || !statements.every(isObject))
      throw new Failed('The other store sends statements that are not JSON objects.')
    return {
      statements: elements,
      contents,
      drop,
      more: typeof more === 'string' ? more : '',
      consistentThrough: response.headers.get('x-experience-api-consistent-through') ?? undefined,
    }
  } catch (error) {
    await drop()
    throw error
  }
}

const bodyOf = ({ body }: Response): AsyncIterable<Uint8Array> => (body ?? []) as AsyncIterable<Uint8Array>
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

/** @throws Failed */
function parsed(json: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(json).toString())
  } catch {
    throw new Failed('The other server is not an xAPI store: it sends no JSON.')
  }
}

async function whole(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of bounded(source, mostJsonBytes, 'What the other store sends')) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** @throws Failed at more than `most` bytes */
async function* bounded(source: AsyncIterable<Uint8Array>, most: number, what: string): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of source) {
    size += chunk.length
    if (size > most) throw new Failed(`${what} is larger than ${bytes(most)}.`)
    yield chunk
  }
}

function reasonOf(error: unknown): string {
  const { cause, name, message } = error as Error & { cause?: { code?: string; message?: string } }
  return cause?.code ?? cause?.message ?? (name === 'TimeoutError' ? 'too slow' : message)
}
