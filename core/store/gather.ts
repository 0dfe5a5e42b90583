import { isAway, Refusal } from '../refusal.ts'

export interface GatherOptions {
  /** Calls, and bytes of what they bring, after which a group is full. */
  readonly most: number
  readonly bytes?: number
  /** Groups that may be under way at a time. */
  readonly atOnce: number
  /** Calls of one game, and bytes of all games, that may wait; for how many milliseconds, before they are refused. */
  readonly waiting: number
  readonly waitingBytes?: number
  readonly patience: number
}

/** As much as other requests of a game may wait. */
export const patient = { waiting: 1_000, patience: 2_000 }

interface Waiting<Ask, Answer> {
  readonly ask: Ask
  readonly bytes: number
  readonly since: number
  readonly resolve: (answer: Answer | Promise<Answer>) => void
  readonly reject: (error: unknown) => void
}

/**
 * Lets calls of one kind go to the database together: those that arrive while a group is under way make the next one,
 * game by game in turn. None joins what has begun, so each sees everything that was acknowledged before it came; none
 * waits for others when nothing is under way. A group that fails is tried call by call.
 * @param perform answers the calls of a group, in their order; an answer that is a promise is not waited for by the others
 */
export function gather<Ask extends { readonly game: number }, Answer>(
  perform: (asks: readonly Ask[]) => Promise<(Answer | Promise<Answer>)[]>,
  { most, bytes = Infinity, atOnce, waiting, waitingBytes = Infinity, patience }: GatherOptions,
): (ask: Ask, bytes?: number) => Promise<Answer> {
  // By game, the one whose turn it is first.
  const queues = new Map<number, Waiting<Ask, Answer>[]>()
  let waits = 0
  let open = 0
  let due = false
  let timer: NodeJS.Timeout | undefined

  function nextGroup(): Waiting<Ask, Answer>[] {
    const group: Waiting<Ask, Answer>[] = []
    let sum = 0
    for (const [game, queue] of queues) {
      const next = queue.shift()!
      group.push(next)
      sum += next.bytes
      waits -= next.bytes
      // a Map's iterator comes to what was added meanwhile: the game's next turn is after all others
      queues.delete(game)
      if (queue.length > 0) queues.set(game, queue)
      if (group.length === most || sum >= bytes) break
    }
    return group
  }

  /** Refuses those that wait, of all or of those who came before a time. */
  function refuse(error: unknown, before = Infinity): void {
    for (const [game, queue] of queues) {
      while (queue.length > 0 && queue[0]!.since < before) {
        const one = queue.shift()!
        waits -= one.bytes
        one.reject(error)
      }
      if (queue.length === 0) queues.delete(game)
    }
  }

  async function settle(group: readonly Waiting<Ask, Answer>[]): Promise<void> {
    try {
      const answers = await perform(group.map(({ ask }) => ask))
      for (const [index, { resolve }] of group.entries()) resolve(answers[index]!)
    } catch (error) {
      // those that wait would find out by themselves, one group after the other
      if (isAway(error)) refuse(error)
      const all = error instanceof Refusal && error.reason === 'unavailable' && !error.one
      if (group.length === 1 || all) for (const { reject } of group) reject(error)
      else for (const one of group) await settle([one])
    }
  }

  function begin(): void {
    due = false
    while (open < atOnce && queues.size > 0) {
      open++
      void settle(nextGroup()).then(() => {
        open--
        begin()
      })
    }
  }

  function lookAtTheClock(): void {
    timer = undefined
    refuse(tooMany(), performance.now() - patience)
    if (queues.size > 0) timer = setTimeout(lookAtTheClock, patience / 4).unref()
  }

  return (ask, bytes = 0) =>
    new Promise((resolve, reject) => {
      const queue = queues.get(ask.game) ?? []
      if (queue.length >= waiting || waits + bytes > waitingBytes) return reject(tooMany())
      queue.push({ ask, bytes, since: performance.now(), resolve, reject })
      queues.set(ask.game, queue)
      waits += bytes
      timer ??= setTimeout(lookAtTheClock, patience / 4).unref()
      // all that came in the same turn of the event loop go together
      if (!due && open < atOnce) {
        due = true
        setImmediate(begin)
      }
    })
}

const tooMany = () => new Refusal('unavailable', 'The game asks for more at a time than it can be given; try again.')

/** An array for Postgres of what needs no escaping: numbers and keys. */
export const listed = <One>(all: readonly One[], valueOf: (one: One) => unknown) => `{${all.map(valueOf).join()}}`
