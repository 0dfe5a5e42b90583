import { LrsError } from './sender.ts'

/** A document and its ETag, for a change that must not overwrite another one. */
export interface Document<T = unknown> {
  readonly value: T
  readonly etag: string
}

export interface Documents {
  /** Undefined: there is none. JSON comes as a value, other types as a Blob. */
  get<T = unknown>(id: string): Promise<Document<T> | undefined>
  /**
   * Replaces; with an ETag only the document that has it, with `null` only when there is none yet (else LrsError 412).
   * Resolves with the new ETag, for the next `put`; undefined: the service did not tell it.
   */
  put(id: string, value: unknown, etag?: string | null): Promise<string | undefined>
  /** Changes the top-level properties of a JSON document and keeps the others; makes it when there is none. */
  merge(id: string, properties: object): Promise<void>
  remove(id: string): Promise<void>
  /** Ids of all documents, or of those that changed since. */
  list(since?: Date): Promise<string[]>
}

type Request = (method: string, path: string, init?: RequestInit) => Promise<Response>

/** The documents of one resource; `parameters` say whose and of what. */
export function documents(
  request: Request,
  resource: string,
  idName: string,
  parameters: Record<string, string>,
): Documents {
  const path = (over: Record<string, string>): string =>
    `${resource}?${new URLSearchParams({ ...parameters, ...over })}`

  async function call(method: string, over: Record<string, string>, init?: RequestInit): Promise<Response> {
    const response = await request(method, path(over), init)
    if (response.ok || response.status === 404) return response
    const reason = await response.json().then(
      ({ message, error }) => String(message ?? error),
      () => response.statusText,
    )
    throw new LrsError(response.status, reason)
  }

  const json = (value: unknown, headers: Record<string, string> = {}): RequestInit => ({
    body: JSON.stringify(value),
    headers: { 'Content-Type': 'application/json', ...headers },
  })

  return {
    async get(id: string) {
      const response = await call('GET', { [idName]: id })
      if (response.status === 404) return undefined
      const isJson = /^application\/json\b/i.test(response.headers.get('content-type') ?? '')
      return { value: isJson ? await response.json() : await response.blob(), etag: response.headers.get('etag') ?? '' }
    },
    async put(id, value, etag) {
      const condition: Record<string, string> =
        etag === undefined ? {} : etag === null ? { 'If-None-Match': '*' } : { 'If-Match': etag }
      const response = await call('PUT', { [idName]: id }, json(value, condition))
      return response.headers.get('etag') ?? undefined
    },
    async merge(id, properties) {
      await call('POST', { [idName]: id }, json(properties))
    },
    async remove(id) {
      await call('DELETE', { [idName]: id })
    },
    list: async (since) => (await call('GET', since ? { since: since.toISOString() } : {})).json(),
  }
}
