import type { Queue, Waiting } from './queue.ts'

/** A request that the service refused for good. */
export class LrsError extends Error {
  override name = 'LrsError'
  /** As in HTTP. */
  readonly status: number
  /** The statement that was refused, where it was one. */
  readonly statement?: unknown
  constructor(status: number, message: string, statement?: unknown) {
    super(message)
    this.status = status
    this.statement = statement
  }
}

export interface SenderOptions {
  /** Sends one request, with endpoint and headers filled in. */
  readonly request: (method: string, path: string, init: RequestInit) => Promise<Response>
  readonly queue: Queue
  /** Asks for a new credential where the first came from; false: there is none. */
  readonly renew: () => Promise<boolean>
  readonly onError: (error: LrsError) => void
  /** Milliseconds that a statement waits for others; default 5,000. */
  readonly flushAfter: number
  /** Statements that do not wait; default 20. */
  readonly flushAt: number
}

/** What the service takes in one request. */
const batchCount = 250
const batchBytes = 2 * 1024 * 1024
/** Statuses that say that a statement is wrong: not valid, in conflict, too large. */
const ofStatements = [400, 409, 413]
/** What a browser sends of a page that goes away. */
const lastCount = 20
const lastBytes = 60 * 1024
const longestWait = 60_000
/** The most that the service may ask for in `Retry-After`. */
const longestAsked = 600_000

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** The first ones that fit; one at least. */
function fitting(waiting: readonly Waiting[], count: number, most: number): Waiting[] {
  let bytes = 1
  const end = waiting.findIndex(({ json }, index) => index === count || (bytes += bytesOf(json) + 1) > most)
  return waiting.slice(0, end === -1 ? waiting.length : Math.max(end, 1))
}

/** Milliseconds that the service asks for: `Retry-After` in seconds or as a date (RFC 9110, 10.2.3). */
function askedWait(response: Response): number {
  const given = response.headers.get('Retry-After')
  if (given === null) return 0
  const wait = /^\d+$/.test(given) ? Number(given) * 1000 : Date.parse(given) - Date.now()
  return Math.min(longestAsked, Math.max(0, wait || 0))
}

/** A record store answers with the ids. A network that asks for a sign-in first answers 200, too, with a page. */
const areIds = (response: Response): Promise<boolean> =>
  response.json().then(
    (body) => response.ok && Array.isArray(body),
    () => false,
  )

/** Why a batch was refused, and its bad statements by their index; a service may name none. */
async function refusalOf(response: Response, count: number): Promise<{ message: string; faults: Map<number, string> }> {
  const body = await response.json().catch(() => undefined)
  const faults = new Map<number, string>()
  for (const fault of Array.isArray(body?.faults) ? body.faults : [])
    if (Number.isInteger(fault?.index) && fault.index >= 0 && fault.index < count)
      faults.set(fault.index, String(fault.message))
  return { message: String(body?.message ?? body?.error ?? response.statusText), faults }
}

const bodyOf = (batch: readonly Waiting[]): string => `[${batch.map(({ json }) => json).join()}]`

/** Sends what waits, in order, until it is all there; what cannot be sent now is tried again later and later. */
export function sender({ request, queue, renew, onError, flushAfter, flushAt }: SenderOptions) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  /** The service asked for a pause until then. */
  let notBefore = 0
  let going: Promise<void> | undefined
  /** Somebody wants all that waits to be sent. */
  let asked = false
  let closed = false
  /** What this page added and does not know to be there. */
  const own = new Map<string, Waiting>()
  /** How many it added since it last sent something. */
  let fresh = 0

  async function remove(batch: readonly Waiting[]): Promise<void> {
    for (const { id } of batch) own.delete(id)
    await queue.remove(batch.map(({ key }) => key))
  }

  /** Statements of this page that another tab has sent: they waited before the first one that waits now. */
  function forget(before: number): void {
    for (const [id, { key }] of own) if (key > 0 && key < before) own.delete(id)
  }

  const post = (batch: readonly Waiting[], keepalive = false): Promise<Response> =>
    request('POST', 'statements', {
      body: bodyOf(batch),
      headers: { 'Content-Type': 'application/json' },
      keepalive,
      // what is behind a redirection would get a GET, and answer 200
      redirect: 'error',
    })

  /** False: try again later. */
  async function send(batch: readonly Waiting[]): Promise<boolean> {
    let response = await post(batch).catch(() => undefined)
    if (response?.status === 401 && (await renew())) response = await post(batch).catch(() => undefined)
    if (!response || response.status === 429 || response.status >= 500) {
      if (response) notBefore = Date.now() + askedWait(response)
      return false
    }
    if (response.ok) {
      if (!(await areIds(response))) return false
      await remove(batch)
      return true
    }
    const { message, faults } = await refusalOf(response, batch.length)
    // the credential has ended, or this is no record store: the statements stay for the next session
    if (!ofStatements.includes(response.status)) {
      closed = true
      onError(new LrsError(response.status, message))
      return true
    }
    // one bad statement does not hold back its neighbours
    if (batch.length > 1 && faults.size === 0) {
      const half = batch.length >> 1
      return (await send(batch.slice(0, half))) && (closed || send(batch.slice(half)))
    }
    const bad = batch.length === 1 ? new Map([[0, message]]) : faults
    await remove([...bad.keys()].map((index) => batch[index]!))
    for (const [index, why] of bad) onError(new LrsError(response.status, why, JSON.parse(batch[index]!.json)))
    const good = batch.filter((_, index) => !bad.has(index))
    return good.length === 0 || send(good)
  }

  async function sendAll(): Promise<void> {
    for (let sent = 0; !closed; sent++) {
      if (Date.now() < notBefore) return later(notBefore - Date.now())
      const batch = fitting(await queue.first(batchCount), batchCount, batchBytes)
      forget(batch[0]?.key ?? Infinity)
      // what came while others were sent waits again, unless somebody asked for all
      if (batch.length === 0 || (sent > 0 && batch.length < flushAt && !asked)) return
      if (!(await send(batch))) {
        const wait = Math.min(longestWait, 1000 * 2 ** failures++) * (0.5 + Math.random() / 2)
        return later(Math.max(wait, notBefore - Date.now()))
      }
      failures = 0
    }
  }

  function later(wait: number): void {
    if (closed) return
    clearTimeout(timer)
    timer = setTimeout(() => void start(), wait)
  }

  function start(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    fresh = 0
    going ??= queue
      .alone(sendAll)
      // another tab sends for both; should it end in between, we look again
      .then(async (mine) => {
        going = undefined
        asked = false
        if (timer === undefined && (!mine || (await queue.count()) > 0)) later(flushAfter)
      })
    return going
  }

  return {
    /** Resolves when what waits was sent, or when it was tried. */
    flush(): Promise<void> {
      asked = true
      return start()
    },
    async add(id: string, json: string): Promise<void> {
      own.set(id, { key: 0, id, json })
      own.set(id, { key: await queue.add(id, json), id, json })
      // of those another tab may have sent some
      if (++fresh >= flushAt) fresh = await queue.count()
      if (failures === 0 && fresh >= flushAt) void start()
      else if (timer === undefined && !going) later(flushAfter)
    },
    /** Drops what waits. */
    async clear(): Promise<void> {
      own.clear()
      await queue.clear()
    },
    /**
     * Of a page that goes away: what a browser still lets through, at once, so nothing is read before. It stays in the
     * queue until it is known to be there.
     */
    last(): void {
      const batch = closed ? [] : fitting([...own.values()], lastCount, lastBytes)
      if (batch.length === 0 || bytesOf(bodyOf(batch)) > lastBytes) return
      post(batch, true).then(
        async (response) => ((await areIds(response)) ? remove(batch) : undefined),
        () => {},
      )
    },
    close: () => {
      closed = true
      clearTimeout(timer)
    },
  }
}
