import { isAway, Refusal } from './refusal.ts'

export interface TurnsOptions {
  /** What one game may have under way at a time. */
  readonly atOnce: number
  /** What may wait, and for how many milliseconds, before it is refused. */
  readonly waiting: number
  readonly patience: number
  /** What is told to whom is refused. */
  readonly refusal?: string
}

interface Line {
  open: number
  readonly waiting: Set<{ begin(): void; refuse(error: unknown): void }>
}

/** Lets each game do a few things at a time, in the order in which they came: no game takes all connections to the database. */
export function turns({ atOnce, waiting, patience, refusal = 'The game asks for more at a time than it can be given; try again.' }: TurnsOptions) {
  const lines = new Map<number, Line>()
  const tooMany = () => new Refusal('unavailable', refusal)

  function wait(line: Line): Promise<void> {
    if (line.waiting.size >= waiting) throw tooMany()
    return new Promise((resolve, reject) => {
      const one = {
        begin() {
          clearTimeout(timer)
          resolve()
        },
        refuse(error: unknown) {
          clearTimeout(timer)
          line.waiting.delete(one)
          reject(error)
        },
      }
      const timer = setTimeout(() => one.refuse(tooMany()), patience)
      line.waiting.add(one)
    })
  }

  return {
    /** Does the work when it is the game's turn. @throws Refusal 'unavailable' */
    async take<T>(game: number, work: () => Promise<T>): Promise<T> {
      let line = lines.get(game)
      if (!line) lines.set(game, (line = { open: 0, waiting: new Set() }))
      if (line.open < atOnce) line.open++
      else await wait(line)
      try {
        return await work()
      } catch (error) {
        // each of them would find out by itself, of whichever game, one after the other
        if (isAway(error)) for (const { waiting } of lines.values()) for (const one of waiting) one.refuse(error)
        throw error
      } finally {
        const [next] = line.waiting
        if (next) {
          line.waiting.delete(next)
          next.begin()
        } else if (--line.open === 0) lines.delete(game)
      }
    },
  }
}

export type Turns = ReturnType<typeof turns>
