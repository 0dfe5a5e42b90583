import { isAway, Refusal } from './refusal.ts'

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
}

interface Waiting {
  begin(): void
  refuse(error: unknown): void
}

interface Line {
  open: number
  readonly waiting: Set<Waiting>
}

/**
 * Does a few things at a time, one of each who waits in turn, in whatever numbers they come; each one's own in the order
 * in which they came. When no more may wait, the newest of whoever has most waiting makes room: who sends much waits for
 * itself, and refuses itself.
 */
export function turns({
  atOnce = Infinity, atOnceOfOne, waiting = Infinity, waitingOfOne = Infinity, patience,
  refusal = 'The game asks for more at a time than it can be given; try again.',
}: TurnsOptions) {
  // the one whose turn it is first
  const lines = new Map<number | string, Line>()
  let open = 0
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

  function begin(line: Line): void {
    line.open++
    open++
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
    for (const line of waited) {
      const [first] = line.waiting
      if (first && line.open < atOnceOfOne) return first.begin()
    }
  }

  return {
    /** Does the work when it is the owner's turn. @throws Refusal 'unavailable' */
    async take<T>(owner: number | string, work: () => Promise<T>): Promise<T> {
      let line = lines.get(owner)
      if (!line) lines.set(owner, (line = { open: 0, waiting: new Set() }))
      try {
        makeRoom(line)
        if (open < atOnce && line.open < atOnceOfOne) begin(line)
        else await wait(owner, line)
        try {
          return await work()
        } catch (error) {
          // each of them would find out by itself, of whichever game, one after the other
          if (isAway(error)) for (const { waiting } of lines.values()) for (const one of waiting) one.refuse(error)
          throw error
        } finally {
          end(line)
        }
      } finally {
        if (line.open === 0 && line.waiting.size === 0 && lines.get(owner) === line) lines.delete(owner)
      }
    },
  }
}

export type Turns = ReturnType<typeof turns>
