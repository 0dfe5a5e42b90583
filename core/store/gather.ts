import { concernsAll, isAway, Refusal } from '../refusal.ts'

export interface GatherOptions<Ask> {
  /** What the calls of a group weigh, each 1 unless told, and bytes of what they bring, after which it is full. */
  readonly most: number
  readonly weigh?: (ask: Ask) => number
  readonly bytes?: number
  /** Groups that may be under way at a time. */
  readonly atOnce: number
  /** Further ones that may be when they are full: the database then has the next one at hand. */
  readonly ahead?: number
  /** When to begin where no group is under way; unless told, when all that came in the same turn of the event loop are there. */
  readonly begins?: (begin: () => void) => void
  /** What may wait: calls and bytes of one game, bytes of all games. */
  readonly waiting?: number
  readonly waitingBytesOfGame?: number
  readonly waitingBytes?: number
  /** Milliseconds after which those that wait are refused. */
  readonly patience?: number
  /** Milliseconds that the oldest call of a game, or a game for its turn, may have waited; then newcomers are refused, in place of those that wait. */
  readonly closesAfter?: number
  /** What is told to whom is refused. */
  readonly refusal?: string
}

/** As much as other requests of a game may wait. */
export const patient = { waiting: 1_000, patience: 2_000 }

interface Waiting<Ask, Answer> {
  readonly ask: Ask
  readonly bytes: number
  readonly weight: number
  readonly since: number
  readonly resolve: (answer: Answer | Promise<Answer>) => void
  readonly reject: (error: unknown) => void
}

interface Queue<Ask, Answer> {
  readonly waiting: Waiting<Ask, Answer>[]
  bytes: number
  /** When it began to wait for its turn. */
  since: number
}

/**
 * Lets calls of one kind go to the database together: those that arrive while a group is under way make the next one,
 * game by game in turn, so that who sends much waits for itself. None joins what has begun, so each sees everything that
 * was acknowledged before it came; none waits for others when nothing is under way. A group that fails is tried call by
 * call, so that one cannot take others down with it.
 * @param perform answers the calls of a group, in their order; an answer that is a promise is not waited for by the others
 */
export function gather<Ask extends { readonly game: number }, Answer>(
  perform: (asks: readonly Ask[]) => Promise<(Answer | Promise<Answer>)[]>,
  {
    most, weigh = () => 1, bytes: mostBytes = Infinity, atOnce, ahead = 0, begins = setImmediate,
    waiting = Infinity, waitingBytesOfGame = Infinity, waitingBytes = Infinity, patience = Infinity, closesAfter = Infinity,
    refusal = 'The game asks for more at a time than it can be given; try again.',
  }: GatherOptions<Ask>,
  now: () => number = () => performance.now(),
) {
  // By game, the one whose turn it is first.
  const queues = new Map<number, Queue<Ask, Answer>>()
  let waits = 0
  let weight = 0
  let open = 0
  let due = false
  let timer: NodeJS.Timeout | undefined
  const idlers: (() => void)[] = []
  const tooMany = () => new Refusal('unavailable', refusal)

  function takeFirst(queue: Queue<Ask, Answer>): Waiting<Ask, Answer> {
    const first = queue.waiting.shift()!
    queue.bytes -= first.bytes
    waits -= first.bytes
    weight -= first.weight
    return first
  }

  function nextGroup(): Waiting<Ask, Answer>[] {
    const group: Waiting<Ask, Answer>[] = []
    let taken = 0
    let bytes = 0
    for (const [game, queue] of queues) {
      const next = takeFirst(queue)
      group.push(next)
      // a Map's iterator comes to what was added meanwhile: the game's next turn is after all others
      queues.delete(game)
      if (queue.waiting.length > 0) {
        queue.since = now()
        queues.set(game, queue)
      }
      taken += next.weight
      bytes += next.bytes
      if (taken >= most || bytes >= mostBytes) break
    }
    return group
  }

  /** Refuses those that wait, of all or of those who came before a time. */
  function refuse(error: unknown, before = Infinity): void {
    for (const [game, queue] of queues) {
      while (queue.waiting.length > 0 && queue.waiting[0]!.since < before) takeFirst(queue).reject(error)
      if (queue.waiting.length === 0) queues.delete(game)
    }
  }

  async function settle(group: readonly Waiting<Ask, Answer>[]): Promise<void> {
    try {
      const answers = await perform(group.map(({ ask }) => ask))
      for (const [index, { resolve }] of group.entries()) resolve(answers[index]!)
    } catch (error) {
      // those that wait would find out by themselves, one group after the other
      if (isAway(error)) refuse(error)
      if (group.length === 1 || concernsAll(error)) for (const { reject } of group) reject(error)
      else for (const one of group) await settle([one])
    }
  }

  const mayBegin = (): boolean => open < atOnce || (open < atOnce + ahead && weight >= most)

  function begin(): void {
    due = false
    while (mayBegin() && queues.size > 0) {
      open++
      void settle(nextGroup()).then(() => {
        open--
        begin()
      })
    }
    if (open === 0) for (const tell of idlers.splice(0)) tell()
  }

  function lookAtTheClock(): void {
    timer = undefined
    refuse(tooMany(), now() - patience)
    if (queues.size > 0) timer = setTimeout(lookAtTheClock, patience / 4).unref()
  }

  function isFull(queue: Queue<Ask, Answer> | undefined, bytes: number, at: number): boolean {
    if (waits + bytes > waitingBytes || (queue?.bytes ?? 0) + bytes > waitingBytesOfGame || (queue?.waiting.length ?? 0) >= waiting) return true
    const [first] = queues.values()
    const before = at - closesAfter
    return (queue?.waiting[0]!.since ?? Infinity) < before || (first?.since ?? Infinity) < before
  }

  return {
    /** Before any work is done for a call that brings so many bytes. @throws Refusal 'unavailable' */
    expectRoom(game: number, bytes: number): void {
      if (isFull(queues.get(game), bytes, now())) throw tooMany()
    },
    ask: (ask: Ask, bytes = 0): Promise<Answer> =>
      new Promise((resolve, reject) => {
        const since = now()
        let queue = queues.get(ask.game)
        if (isFull(queue, bytes, since)) return reject(tooMany())
        if (!queue) queues.set(ask.game, (queue = { waiting: [], bytes: 0, since }))
        const one = { ask, bytes, weight: weigh(ask), since, resolve, reject }
        queue.waiting.push(one)
        queue.bytes += bytes
        waits += bytes
        weight += one.weight
        if (patience < Infinity) timer ??= setTimeout(lookAtTheClock, patience / 4).unref()
        if (!due && mayBegin()) {
          due = true
          begins(begin)
        }
      }),
    /** Of calls that wait for their group. */
    waitingBytes: () => waits,
    /** Resolves when nothing waits any more. */
    async idle(): Promise<void> {
      while (due || open > 0) await new Promise<void>((tell) => idlers.push(tell))
    },
  }
}

/** An array for Postgres of what needs no escaping: numbers and keys. */
export const listed = <One>(all: readonly One[], valueOf: (one: One) => unknown) => `{${all.map(valueOf).join()}}`
