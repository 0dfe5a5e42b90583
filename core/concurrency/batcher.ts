import { concernsAll, isAway, Refusal } from '../refusal.ts'

export interface BatcherOptions<Call> {
  /** A group is full when its calls have this weight. A call weighs 1, or what `weightOf` returns. */
  readonly maxWeight: number
  readonly weightOf?: (call: Call) => number
  /** A group is also full when its calls have this many bytes. */
  readonly maxBytes?: number
  /** Groups that run at a time. */
  readonly concurrency: number
  /** Further groups that may run if they are full, so that the database has the next one at hand. */
  readonly ahead?: number
  /** Schedules the start of a group while none runs. Default: after all calls of this turn of the event loop. */
  readonly schedule?: (start: () => void) => void
  /** Calls and bytes of one game that may wait, and bytes of all games. */
  readonly maxWaiting?: number
  readonly maxWaitingBytesOfGame?: number
  readonly maxWaitingBytes?: number
  /** Milliseconds after which a waiting call is refused. */
  readonly maxWait?: number
  /**
   * New calls are refused when the oldest call of their game, or a game for its turn, has waited for this number of
   * milliseconds. Waiting calls stay.
   */
  readonly closesAfter?: number
  /** Text of the refusal. */
  readonly refusal?: string
}

/** How many calls of a game may wait, and for how long, unless a batcher has limits of its own. */
export const usualWait = { maxWaiting: 1_000, maxWait: 2_000 }

interface Waiting<Call, Result> {
  readonly call: Call
  readonly bytes: number
  readonly weight: number
  readonly since: number
  readonly resolve: (result: Result | Promise<Result>) => void
  readonly reject: (error: unknown) => void
}

interface Queue<Call, Result> {
  readonly waiting: Waiting<Call, Result>[]
  bytes: number
  /** When it began to wait for its turn. */
  since: number
}

/**
 * Sends calls to the database in groups. Calls that arrive while a group runs form the next one, game by game in turn,
 * so a game with many calls delays only itself. No call joins a group that has started, so each call sees everything
 * that was acknowledged before it arrived. When a group fails, its calls run one by one, so one call cannot make others
 * fail.
 * @param perform returns the results of a group's calls in their order; a result that is a promise delays no other call
 */
export function batcher<Call extends { readonly game: number }, Result>(
  perform: (calls: readonly Call[]) => Promise<(Result | Promise<Result>)[]>,
  {
    maxWeight,
    weightOf = () => 1,
    maxBytes = Infinity,
    concurrency,
    ahead = 0,
    schedule = setImmediate,
    maxWaiting = Infinity,
    maxWaitingBytesOfGame = Infinity,
    maxWaitingBytes = Infinity,
    maxWait = Infinity,
    closesAfter = Infinity,
    refusal = 'The game has sent more requests at a time than can be served; try again.',
  }: BatcherOptions<Call>,
  now: () => number = () => performance.now(),
) {
  // by game, in the order of their turns
  const queues = new Map<number, Queue<Call, Result>>()
  let waitingBytes = 0
  let waitingWeight = 0
  let running = 0
  let isScheduled = false
  let timer: NodeJS.Timeout | undefined
  const idleListeners: (() => void)[] = []
  const tooMany = () => new Refusal('unavailable', refusal)

  function takeFirst(queue: Queue<Call, Result>): Waiting<Call, Result> {
    const first = queue.waiting.shift()!
    queue.bytes -= first.bytes
    waitingBytes -= first.bytes
    waitingWeight -= first.weight
    return first
  }

  function nextGroup(): Waiting<Call, Result>[] {
    const group: Waiting<Call, Result>[] = []
    let weight = 0
    let bytes = 0
    for (const [game, queue] of queues) {
      const next = takeFirst(queue)
      group.push(next)
      // the loop reaches entries that are added meanwhile: the game's next turn comes after all others
      queues.delete(game)
      if (queue.waiting.length > 0) {
        queue.since = now()
        queues.set(game, queue)
      }
      weight += next.weight
      bytes += next.bytes
      if (weight >= maxWeight || bytes >= maxBytes) break
    }
    return group
  }

  /** Refuses waiting calls: all, or those that arrived before a time. */
  function refuse(error: unknown, before = Infinity): void {
    for (const [game, queue] of queues) {
      while (queue.waiting.length > 0 && queue.waiting[0]!.since < before) takeFirst(queue).reject(error)
      if (queue.waiting.length === 0) queues.delete(game)
    }
  }

  async function run(group: readonly Waiting<Call, Result>[]): Promise<void> {
    try {
      const results = await perform(group.map(({ call }) => call))
      for (const [index, { resolve }] of group.entries()) resolve(results[index]!)
    } catch (error) {
      // otherwise each waiting group would find out by itself that the database is away
      if (isAway(error)) refuse(error)
      if (group.length === 1 || concernsAll(error)) for (const { reject } of group) reject(error)
      else for (const one of group) await run([one])
    }
  }

  const mayStart = (): boolean => running < concurrency || (running < concurrency + ahead && waitingWeight >= maxWeight)

  function start(): void {
    isScheduled = false
    while (mayStart() && queues.size > 0) {
      running++
      void run(nextGroup()).then(() => {
        running--
        start()
      })
    }
    if (running === 0) for (const listener of idleListeners.splice(0)) listener()
  }

  function refuseExpired(): void {
    timer = undefined
    refuse(tooMany(), now() - maxWait)
    if (queues.size > 0) timer = setTimeout(refuseExpired, maxWait / 4).unref()
  }

  function isFull(queue: Queue<Call, Result> | undefined, bytes: number, at: number): boolean {
    if (waitingBytes + bytes > maxWaitingBytes) return true
    if ((queue?.bytes ?? 0) + bytes > maxWaitingBytesOfGame || (queue?.waiting.length ?? 0) >= maxWaiting) return true
    const [first] = queues.values()
    const before = at - closesAfter
    return (queue?.waiting[0]!.since ?? Infinity) < before || (first?.since ?? Infinity) < before
  }

  return {
    /** Checks that a call with this many bytes has room, before any work on it. @throws Refusal 'unavailable' */
    expectRoom(game: number, bytes: number): void {
      if (isFull(queues.get(game), bytes, now())) throw tooMany()
    },
    call: (call: Call, bytes = 0): Promise<Result> =>
      new Promise((resolve, reject) => {
        const since = now()
        let queue = queues.get(call.game)
        if (isFull(queue, bytes, since)) return reject(tooMany())
        if (!queue) queues.set(call.game, (queue = { waiting: [], bytes: 0, since }))
        const one = { call, bytes, weight: weightOf(call), since, resolve, reject }
        queue.waiting.push(one)
        queue.bytes += bytes
        waitingBytes += bytes
        waitingWeight += one.weight
        if (maxWait < Infinity) timer ??= setTimeout(refuseExpired, maxWait / 4).unref()
        if (!isScheduled && mayStart()) {
          isScheduled = true
          schedule(start)
        }
      }),
    waitingBytes: () => waitingBytes,
    /** Resolves when no call waits or runs. */
    async idle(): Promise<void> {
      while (isScheduled || running > 0) await new Promise<void>((done) => idleListeners.push(done))
    },
  }
}
