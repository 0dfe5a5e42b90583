import { concernsAll, isAway, Refusal } from '../refusal.ts'
import { ours } from '../../../shared/say.ts'

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

/** Most games without a waiting call whose use is remembered. */
const mostIdle = 1_000

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
  readonly game: number
  readonly waiting: Waiting<Call, Result>[]
  bytes: number
  /** When it began to wait for its turn, although it has not used more than others. */
  since: number
  /** Weight of its calls that had their turn. */
  used: number
}

/**
 * Sends calls to the database in groups. Calls that arrive while a group runs form the next one, game by game in turn;
 * the game whose calls weighed the least comes first. So a game with many or heavy calls delays only itself, and a call
 * that is heavier than a group is one by itself. No call joins a group that has started, so each call sees everything
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
  const queues = new Map<number, Queue<Call, Result>>()
  /** Whose turn is next. */
  let next: Queue<Call, Result> | undefined
  /** Weight that the game had used whose turn was last. New games start from it, so nobody saves up turns. */
  let level = 0
  /** What games without a waiting call have used, as far as it is above the level. */
  const idle = new Map<number, number>()
  let waitingBytes = 0
  let waitingWeight = 0
  let taken = 0
  let running = 0
  let isScheduled = false
  let timer: NodeJS.Timeout | undefined
  const idleListeners: (() => void)[] = []
  const tooMany = () => new Refusal('unavailable', ours(refusal))

  function takeFirst(queue: Queue<Call, Result>): Waiting<Call, Result> {
    const first = queue.waiting.shift()!
    queue.bytes -= first.bytes
    waitingBytes -= first.bytes
    waitingWeight -= first.weight
    taken += first.weight
    return first
  }

  /** Games that wait, in the order of their turns. Of equal ones the one that was served longer ago comes first. */
  const inTurn = (): Queue<Call, Result>[] => [...queues.values()].sort((one, other) => one.used - other.used)

  const upNext = () => (next?.waiting.length ? next : queues.values().next().value)
  /** Waits because of its own calls, not because there is too much to do. */
  const owes = ({ used }: Queue<Call, Result>): boolean => used > level + maxWeight / 8

  function queueOf(game: number, since: number): Queue<Call, Result> {
    let queue = queues.get(game)
    if (queue) return queue
    queue = { game, waiting: [], bytes: 0, since, used: Math.max(level, idle.get(game) ?? 0) }
    const before = upNext()
    if (!before || queue.used < before.used) next = queue
    idle.delete(game)
    queues.set(game, queue)
    return queue
  }

  function leave({ game, used }: Queue<Call, Result>): void {
    queues.delete(game)
    if (used > level) idle.set(game, used)
    if (idle.size > mostIdle) idle.delete(idle.keys().next().value!)
  }

  function nextGroup(): Waiting<Call, Result>[] {
    const group: Waiting<Call, Result>[] = []
    let weight = 0
    let bytes = 0
    next = undefined
    for (let turns = inTurn(), turn = 0; queues.size > 0; turn++) {
      if (turn === turns.length) [turns, turn] = [inTurn(), 0]
      const queue = turns[turn]!
      if (group.length > 0 && weight + queue.waiting[0]!.weight > maxWeight) {
        next = queue
        break
      }
      const first = takeFirst(queue)
      group.push(first)
      level = Math.max(level, queue.used)
      queue.used += first.weight
      // its next turn comes after those of others that used as much
      leave(queue)
      if (queue.waiting.length > 0) {
        idle.delete(queue.game)
        queue.since = now()
        queues.set(queue.game, queue)
      }
      weight += first.weight
      bytes += first.bytes
      if (weight >= maxWeight || bytes >= maxBytes) break
    }
    next ??= inTurn()[0]
    for (const queue of queues.values()) if (owes(queue)) queue.since = now()
    return group
  }

  /** Refuses waiting calls: all, or those that arrived before a time. */
  function refuse(error: unknown, before = Infinity): void {
    for (const queue of queues.values()) {
      while (queue.waiting.length > 0 && queue.waiting[0]!.since < before) takeFirst(queue).reject(error)
      if (queue.waiting.length === 0) leave(queue)
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

  /** A call that is a group by itself does not go ahead: calls that come meanwhile would wait for two such groups. */
  const mayStart = (): boolean =>
    running < concurrency ||
    (running < concurrency + ahead && waitingWeight >= maxWeight && (upNext()?.waiting[0]!.weight ?? 0) <= maxWeight)

  function start(): void {
    isScheduled = false
    while (mayStart() && queues.size > 0) {
      running++
      void run(nextGroup()).then(() => {
        running--
        start()
      })
    }
    if (running > 0) return
    idle.clear()
    for (const listener of idleListeners.splice(0)) listener()
  }

  function refuseExpired(): void {
    timer = undefined
    refuse(tooMany(), now() - maxWait)
    if (queues.size > 0) timer = setTimeout(refuseExpired, maxWait / 4).unref()
  }

  function isFull(queue: Queue<Call, Result> | undefined, bytes: number, at: number): boolean {
    if (waitingBytes + bytes > maxWaitingBytes) return true
    if ((queue?.bytes ?? 0) + bytes > maxWaitingBytesOfGame || (queue?.waiting.length ?? 0) >= maxWaiting) return true
    const first = upNext()
    const before = at - closesAfter
    return (
      (queue?.waiting[0]!.since ?? Infinity) < before || (first !== undefined && !owes(first) && first.since < before)
    )
  }

  return {
    /** Checks that a call with this many bytes has room, before any work on it. @throws Refusal 'unavailable' */
    expectRoom(game: number, bytes: number): void {
      if (isFull(queues.get(game), bytes, now())) throw tooMany()
    },
    call: (call: Call, bytes = 0): Promise<Result> =>
      new Promise((resolve, reject) => {
        const since = now()
        if (isFull(queues.get(call.game), bytes, since)) return reject(tooMany())
        const queue = queueOf(call.game, since)
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
    /** Weight of the calls that had their turn. */
    taken: () => taken,
    /** Resolves when no call waits or runs. */
    async idle(): Promise<void> {
      while (isScheduled || running > 0) await new Promise<void>((done) => idleListeners.push(done))
    },
  }
}
