import { isAway, Refusal } from '../refusal.ts'

export interface TurnsOptions {
  /** What may be under way at a time, of all and of one. */
  readonly atOnce?: number
  readonly atOnceOfOne: number
  /** What may wait, of all and of one, and for how many milliseconds, before it is refused. */
  readonly waiting?: number
  readonly waitingOfOne?: number
  readonly patience: number
  /** What is told to whom is refused. */
  readonly refusal?: string
  readonly now?: () => number
}

interface Waiting {
  begin(): void
  refuse(error: unknown): void
}

interface Line {
  open: number
  /** Milliseconds of work, starting at the use of earlier owners. */
  used: number
  readonly waiting: Set<Waiting>
}

/** Most idle owners whose use is remembered. */
const mostIdle = 1000

/**
 * Does a few works at a time. The owner who has used the least time comes next, for any number of owners; the works of
 * one owner keep their order. When the queue is full, the newest work of the owner with the most waiting is refused: so
 * heavy owners delay and refuse only themselves.
 */
export function turns({
  atOnce = Infinity, atOnceOfOne, waiting = Infinity, waitingOfOne = Infinity, patience,
  refusal = 'The game asks for more at a time than it can be given; try again.',
  now = () => performance.now(),
}: TurnsOptions) {
  // equal use: the owner who was served longer ago comes first
  const lines = new Map<number | string, Line>()
  let open = 0
  /** Use of the owner who began last: newcomers start from it, so nobody saves up turns. */
  let level = 0
  let waits = 0
  const tooMany = () => new Refusal('unavailable', refusal)

  /** Makes a place for one more of this line. @throws Refusal */
  function makeRoom({ waiting: own }: Line): void {
    if (own.size >= waitingOfOne) throw tooMany()
    if (waits < waiting) return
    const longest = [...lines.values()].reduce((a, b) => (b.waiting.size > a.waiting.size ? b : a))
    if (longest.waiting.size <= own.size + 1) throw tooMany()
    const newest = [...longest.waiting].at(-1)!
    newest.refuse(tooMany())
  }

  function lineOf(owner: number | string): Line {
    const known = lines.get(owner)
    const line = known ?? { open: 0, used: level, waiting: new Set() }
    if (!known) lines.set(owner, line)
    else if (isIdle(line)) line.used = Math.max(line.used, level)
    return line
  }

  function begin(line: Line): void {
    line.open++
    open++
    level = Math.max(level, line.used)
  }

  function wait(owner: number | string, line: Line): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer)
        line.waiting.delete(one)
        waits--
      }
      const one: Waiting = {
        begin() {
          leave()
          lines.delete(owner)
          lines.set(owner, line)
          begin(line)
          resolve()
        },
        refuse(error) {
          leave()
          reject(error)
        },
      }
      const timer = setTimeout(() => one.refuse(tooMany()), patience)
      line.waiting.add(one)
      waits++
    })
  }

  /** Gives the place of one that has ended to who waits for it; where all had room, only its own line does. */
  function end(ended: Line): void {
    const waited = open < atOnce ? [ended] : lines.values()
    ended.open--
    open--
    let next: Line | undefined
    for (const line of waited) {
      if (line.waiting.size > 0 && line.open < atOnceOfOne && (!next || line.used < next.used)) next = line
    }
    const [first] = next?.waiting ?? []
    first?.begin()
  }

  /** An owner's use is dropped when others have used as much, or when there are no other owners. */
  function leave(owner: number | string, line: Line): void {
    if (open === 0 && waits === 0) lines.clear()
    else if (isIdle(line) && (line.used <= level || lines.size > mostIdle) && lines.get(owner) === line) lines.delete(owner)
  }

  function refuseAll(error: unknown): void {
    for (const { waiting } of lines.values()) for (const one of waiting) one.refuse(error)
  }

  return {
    /** Refuses all that wait. */
    refuse: refuseAll,
    /** Does the work when it is the owner's turn. @throws Refusal 'unavailable' */
    async take<T>(owner: number | string, work: () => Promise<T>): Promise<T> {
      const line = lineOf(owner)
      try {
        makeRoom(line)
        if (open < atOnce && line.open < atOnceOfOne) begin(line)
        else await wait(owner, line)
        const began = now()
        try {
          return await work()
        } catch (error) {
          // each of them would find out by itself, of whichever game, one after the other
          if (isAway(error)) refuseAll(error)
          throw error
        } finally {
          line.used += now() - began
          end(line)
        }
      } finally {
        leave(owner, line)
      }
    },
  }
}

const isIdle = ({ open, waiting }: Line) => open === 0 && waiting.size === 0

export type Turns = ReturnType<typeof turns>
