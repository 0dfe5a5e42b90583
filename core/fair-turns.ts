import { Refusal } from './refusal.ts'

export interface FairTurnsOptions {
  /** What may be under way at a time, of all and of one. */
  readonly atOnce: number
  readonly atOnceOfOne: number
  /** What may wait, of all together, and for how many milliseconds, before it is refused. */
  readonly waiting: number
  readonly patience: number
  /** What is told to whom is refused. */
  readonly refusal: string
}

interface Waiting {
  begin(): void
  refuse(): void
}

interface Line {
  open: number
  readonly waiting: Set<Waiting>
}

/**
 * Does a few things at a time, one of each who waits in turn, in whatever numbers they come. When no more may wait, the
 * newest of whoever has most waiting makes room: who sends much waits for itself, and refuses itself.
 */
export function fairTurns({ atOnce, atOnceOfOne, waiting, patience, refusal }: FairTurnsOptions) {
  // the one whose turn it is first
  const lines = new Map<string, Line>()
  let open = 0
  let waits = 0

  function next(): void {
    for (const [owner, line] of lines) {
      if (open >= atOnce) return
      if (line.open >= atOnceOfOne || line.waiting.size === 0) continue
      lines.delete(owner)
      lines.set(owner, line)
      const [first] = line.waiting
      line.open++
      open++
      first!.begin()
    }
  }

  /** Whether there is a place for one more of this line. */
  function makeRoom({ waiting: own }: Line): boolean {
    if (waits < waiting) return true
    const longest = [...lines.values()].reduce((a, b) => (b.waiting.size > a.waiting.size ? b : a))
    if (longest.waiting.size <= own.size + 1) return false
    const newest = [...longest.waiting].at(-1)!
    newest.refuse()
    return true
  }

  function wait(line: Line): Promise<void> {
    if (!makeRoom(line)) throw new Refusal('unavailable', refusal)
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer)
        line.waiting.delete(one)
        waits--
      }
      const one: Waiting = {
        begin() {
          leave()
          resolve()
        },
        refuse() {
          leave()
          reject(new Refusal('unavailable', refusal))
        },
      }
      const timer = setTimeout(one.refuse, patience)
      line.waiting.add(one)
      waits++
    })
  }

  return {
    /** Does the work when it is the owner's turn. @throws Refusal 'unavailable' */
    async take<T>(owner: string, work: () => Promise<T>): Promise<T> {
      const line = lines.get(owner) ?? { open: 0, waiting: new Set() }
      lines.set(owner, line)
      try {
        const turn = wait(line)
        next()
        await turn
        try {
          return await work()
        } finally {
          line.open--
          open--
        }
      } finally {
        if (line.open === 0 && line.waiting.size === 0 && lines.get(owner) === line) lines.delete(owner)
        next()
      }
    },
  }
}
