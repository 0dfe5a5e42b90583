import { Worker } from 'node:worker_threads'
import { outgoing as limits } from '../../../shared/limits.ts'
import { slots } from '../concurrency/slots.ts'
import type { Calls } from './calls.ts'
import type { OpenIdProvider } from './openid-discovery.ts'
import type { OpenIdAnswer, OpenIdRequest } from './openid.ts'
import type { MailOutcome, OutgoingMail } from './mail-call.ts'
import { OutgoingError, type OutgoingFailure } from './outgoing-error.ts'
import type { OutgoingRequest, OutgoingResponse } from './web-call.ts'

type Call = keyof Calls
type Output<C extends Call> = Awaited<ReturnType<Calls[C]>>

/** A message to the thread. */
export interface CallTask {
  readonly id: number
  readonly call: Call
  readonly input: unknown
}

/** Its answer. */
export type CallOutcome =
  | { readonly kind: 'done'; readonly output: unknown }
  | { readonly kind: 'not done'; readonly failure: OutgoingFailure; readonly message: string; readonly told: string }
  | { readonly kind: 'broken'; readonly message: string }

export interface OutgoingOptions {
  /** Networks that may be called although they are not public. */
  readonly allowed: readonly string[]
  /** Ports of this machine that are never called. */
  readonly ownPorts?: readonly number[]
  /** Most seconds of a call, with everything. */
  readonly seconds: number
  /** The same for a mail. */
  readonly mailSeconds: number
  /** Most bytes of a request over HTTP. */
  readonly sentBytes?: number
  /** Calls at a time, in all and to one host. */
  readonly atOnce?: number
  readonly atOnceOfHost?: number
}

/** Calls to other systems: the only way out of core but for Postgres, the S3 store and the collector. */
export interface Outgoing {
  /**
   * A request over HTTP. It goes to an address that was looked up once and is public or allowed by the operator, within
   * the bounds of `outgoing` in shared/limits.ts. It follows no redirect. @throws OutgoingError, Refusal 'unavailable'
   */
  guardedFetch(request: OutgoingRequest): Promise<OutgoingResponse>
  /** The steps of a sign-in with OpenID Connect (openid.ts). @throws OutgoingError, Refusal 'unavailable' */
  openIdAddress(request: OpenIdRequest): Promise<Output<'openIdAddress'>>
  openIdPerson(answer: OpenIdAnswer): Promise<Output<'openIdPerson'>>
  openIdExamine(what: { provider: OpenIdProvider }): Promise<Output<'openIdExamine'>>
  /** Hands a mail to the server of the settings, wherever it is. @throws OutgoingError to try again, Refusal */
  sendMail(mail: OutgoingMail): Promise<MailOutcome>
  close(): Promise<void>
}

/** @param report is told of faults of the thread, for operators */
export function outgoing(options: OutgoingOptions, report: (fault: string) => void = () => {}): Outgoing {
  const taken = slots({
    inAll: options.atOnce ?? limits.atOnce,
    ofOne: options.atOnceOfHost ?? limits.atOnceOfHost,
    refusal: 'Too many calls to other systems wait for an answer at the moment; try again.',
  })
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let thread: Worker | undefined
  let last = 0
  let closed = false

  function start(): Worker {
    // without an environment no proxy and no switch that turns off checks of certificates has an effect
    const started = new Worker(new URL('thread.ts', import.meta.url), {
      workerData: options,
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 64 },
    })
    started.unref()
    const broke = (why: unknown): void => {
      if (thread !== started) return
      thread = undefined
      if (!closed) report(`the thread ended: ${String(why)}`)
      for (const { reject } of waiting.values())
        reject(new OutgoingError('broke off', 'The call broke off; try again.'))
    }
    return started
      .on('message', ({ id, outcome }: { id: number; outcome: CallOutcome }) => {
        if (id === 0 && outcome.kind === 'broken') report(outcome.message)
        else settle(waiting.get(id), outcome)
      })
      .once('error', broke)
      .once('exit', broke)
  }

  async function perform<C extends Call>(call: C, input: unknown, owner: string, seconds: number): Promise<Output<C>> {
    if (closed) throw new OutgoingError('broke off', 'The service is about to stop.')
    const release = taken.take(owner)
    const used = (thread ??= start())
    const id = ++last
    const answer = Promise.withResolvers<unknown>()
    waiting.set(id, answer)
    // the thread keeps its own time; one that does not hangs with all calls
    const timer = setTimeout(() => void used.terminate(), (seconds + 5) * 1000).unref()
    try {
      used.postMessage({ id, call, input } satisfies CallTask, [])
      return (await answer.promise) as Output<C>
    } finally {
      clearTimeout(timer)
      waiting.delete(id)
      release()
    }
  }

  /** A step of a sign-in, with a second attempt: a person waits for it, and nobody else repeats it. */
  async function step<C extends Call>(call: C, input: unknown, { issuer }: OpenIdProvider): Promise<Output<C>> {
    const attempt = (): Promise<Output<C>> => perform(call, input, hostOf(issuer), options.seconds)
    return attempt().catch((error: unknown) => {
      if (error instanceof OutgoingError && error.failure === 'broke off' && !closed) return attempt()
      throw error
    })
  }

  return {
    openIdAddress: (request) => step('openIdAddress', request, request.provider),
    openIdPerson: (answer) => step('openIdPerson', answer, answer.provider),
    openIdExamine: (what) => step('openIdExamine', what, what.provider),
    // bytes are outside of the heap of the thread, which many large texts would fill
    guardedFetch: ({ body, ...rest }) => {
      const request =
        typeof body === 'string' ? { ...rest, body: Buffer.from(body) } : { ...rest, ...(body && { body }) }
      return perform('web', request, hostOf(request.url), options.seconds)
    },
    sendMail: (mail) => perform('mail', mail, `mail ${mail.server.host}`, options.mailSeconds),
    async close() {
      closed = true
      await thread?.terminate()
    },
  }
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? ''

function settle(answer: PromiseWithResolvers<unknown> | undefined, outcome: CallOutcome): void {
  if (outcome.kind === 'done') answer?.resolve(outcome.output)
  else if (outcome.kind === 'not done')
    answer?.reject(new OutgoingError(outcome.failure, outcome.message, outcome.told))
  else answer?.reject(new Error(outcome.message))
}
