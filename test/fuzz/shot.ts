export interface Answer {
  readonly status: number
  /** With trailers, where there are any. */
  readonly text: string
}

/** One request, or what is sent in the place of one. */
export interface Shot {
  /** Its statuses are counted under this name; none: requests to the gateway. */
  readonly kind: '' | 'rpc ' | 'page ' | 'wire '
  /** What was sent, for whoever looks for the reason. */
  readonly name: () => string
  readonly send: (signal: AbortSignal) => Promise<Answer>
  /** It may stay open. */
  readonly streams?: boolean
  /** Statuses of 500 and above that this asks for by itself. */
  readonly mayBe?: readonly number[]
  /** What has to be there when this was accepted; answers what is wrong. */
  readonly again?: (answer: string) => Promise<string | undefined>
}

export interface Request {
  readonly url: string
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: Buffer
}

/** What a client library sends. */
export function shotOf(kind: Shot['kind'], { url, method, headers, body }: Request, more: Partial<Shot> = {}): Shot {
  return {
    kind,
    name: () =>
      `${method} ${url.slice(0, 300)} ${body?.toString('latin1').slice(0, 1_500) ?? ''} ${JSON.stringify(headers)}`,
    async send(signal) {
      const reply = await fetch(url, {
        method,
        headers,
        body: body as Uint8Array<ArrayBuffer> | undefined,
        redirect: 'manual',
        signal,
      })
      return { status: reply.status, text: await reply.text() }
    },
    ...more,
  }
}
