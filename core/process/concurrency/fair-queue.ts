import { isAway, Refusal } from '../refusal.ts'
import { ours } from '../../../shared/say.ts'

export interface FairQueueOptions {
  /** Jobs that run at a time: of all owners, and of one. */
  readonly concurrency?: number
  readonly concurrencyOfOne: number
  /** Jobs that run at a time are done one after the other: an owner does not pay for the wait behind another job. */
  readonly oneByOne?: boolean
  /** Jobs that may wait: of all owners, and of one. */
  readonly maxWaiting?: number
  readonly maxWaitingOfOne?: number
  /** Milliseconds after which a waiting job is refused. */
  readonly maxWait: number
  /** Text of the refusal. */
  readonly refusal?: string
  readonly now?: () => number
}

interface Waiting {
  begin(): void
  refuse(error: unknown): void
}

interface Owner {
  running: number
  /** Milliseconds of work. A new owner starts at the use of earlier ones. */
  used: number
  readonly waiting: Set<Waiting>
}

/** Most idle owners whose use is remembered. */
const maxIdle = 1000

/**
 * Runs a few jobs at a time. The next job always belongs to the owner who has used the least time; the jobs of one
 * owner keep their order. When the queue is full, it refuses the newest job of the owner with the most waiting jobs. So
 * an owner with many jobs delays only itself, and only its jobs are refused.
 */
export function fairQueue({
  concurrency = Infinity,
  concurrencyOfOne,
  oneByOne = false,
  maxWaiting = Infinity,
  maxWaitingOfOne = Infinity,
  maxWait,
  refusal = 'The game has sent more requests at a time than can be served; try again.',
  now = () => performance.now(),
}: FairQueueOptions) {
  // among owners of equal use, the one who was served longer ago comes first
  const owners = new Map<number | string, Owner>()
  let running = 0
  /** Use of the owner who began last. New owners start from it, so nobody saves up turns. */
  let level = 0
  let waits = 0
  /** When the last job ended. */
  let free = 0
  const tooMany = () => new Refusal('unavailable', ours(refusal))

  /** Makes room for one more job of this owner. @throws Refusal */
  function makeRoom({ waiting: own }: Owner): void {
    if (own.size >= maxWaitingOfOne) throw tooMany()
    if (waits < maxWaiting) return
    const longest = [...owners.values()].reduce((a, b) => (b.waiting.size > a.waiting.size ? b : a))
    if (longest.waiting.size <= own.size + 1) throw tooMany()
    const newest = [...longest.waiting].at(-1)!
    newest.refuse(tooMany())
  }

  function ownerOf(key: number | string): Owner {
    const known = owners.get(key)
    const owner = known ?? { running: 0, used: level, waiting: new Set() }
    if (!known) owners.set(key, owner)
    else if (isIdle(owner)) owner.used = Math.max(owner.used, level)
    return owner
  }

  function begin(owner: Owner): void {
    owner.running++
    running++
    level = Math.max(level, owner.used)
  }

  function wait(key: number | string, owner: Owner): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer)
        owner.waiting.delete(one)
        waits--
      }
      const one: Waiting = {
        begin() {
          leave()
          owners.delete(key)
          owners.set(key, owner)
          begin(owner)
          resolve()
        },
        refuse(error) {
          leave()
          reject(error)
        },
      }
      const timer = setTimeout(() => one.refuse(tooMany()), maxWait)
      owner.waiting.add(one)
      waits++
    })
  }

  /** Starts the next job. Below the common limit, only jobs of the owner whose job has ended can be waiting. */
  function end(ended: Owner): void {
    const candidates = running < concurrency ? [ended] : owners.values()
    ended.running--
    running--
    let next: Owner | undefined
    for (const owner of candidates) {
      if (owner.waiting.size > 0 && owner.running < concurrencyOfOne && (!next || owner.used < next.used)) next = owner
    }
    const [first] = next?.waiting ?? []
    first?.begin()
  }

  /** Forgets an owner's use when others have used as much, or when there are no other owners. */
  function forget(key: number | string, owner: Owner): void {
    if (running === 0 && waits === 0) owners.clear()
    else if (isIdle(owner) && (owner.used <= level || owners.size > maxIdle) && owners.get(key) === owner)
      owners.delete(key)
  }

  function refuseAll(error: unknown): void {
    for (const { waiting } of owners.values()) for (const one of waiting) one.refuse(error)
  }

  return {
    /** Refuses all waiting jobs. */
    refuse: refuseAll,
    /** Runs the job when it is the owner's turn. @throws Refusal 'unavailable' */
    async run<T>(key: number | string, job: () => Promise<T>): Promise<T> {
      const owner = ownerOf(key)
      try {
        makeRoom(owner)
        if (running < concurrency && owner.running < concurrencyOfOne) begin(owner)
        else await wait(key, owner)
        const began = now()
        try {
          return await job()
        } catch (error) {
          // otherwise each waiting job, of any owner, would find out by itself that the database is away
          if (isAway(error)) refuseAll(error)
          throw error
        } finally {
          const ended = now()
          owner.used += ended - (oneByOne ? Math.max(began, free) : began)
          free = ended
          end(owner)
        }
      } finally {
        forget(key, owner)
      }
    },
  }
}

const isIdle = ({ running, waiting }: Owner) => running === 0 && waiting.size === 0

export type FairQueue = ReturnType<typeof fairQueue>
