import { setImmediate } from 'node:timers/promises'
import { playedIn, toldStep, type Played, type ToldStep } from '../../analytics/rules/learner-levels.ts'
import { attemptVerbKeys, parsed, saidIn, type LearnerStatement } from '../../analytics/rules/learner-result.ts'
import { boards, classResults } from '../../../shared/limits.ts'
import type { FairQueue } from '../../process/concurrency/fair-queue.ts'
import type { Key } from '../../records/xapi/identify.ts'
import type { Store } from '../../store.ts'
import type { Span } from '../store/lesson-results.ts'

interface Needs {
  readonly store: Pick<Store, 'learnerResults'>
  readonly fairQueue: FairQueue
}

/** What an open board knows of a learner. */
export interface Kept {
  readonly told: readonly { readonly bytes: number; readonly step: ToldStep }[]
  readonly played: readonly Played[]
  /** `stored` of its last statement: microseconds. */
  readonly after: number
  /** When it was read from the first statement: milliseconds. */
  readonly since: number
}

interface Open {
  kept: Map<Key, Kept>
  bytes: number
  running?: Promise<Map<Key, Kept>>
  next?: Promise<Map<Key, Kept>>
}

/** Learners of whom one query reads: all statements, or only the new ones. */
const atOnce = { all: 5, new: 50 }

/**
 * What learners did in lessons with an open board: a poll reads only what is new. A lesson is read by one at a time; who
 * asks meanwhile shares the next reading. Of too many lessons, the one that was asked for longest ago is forgotten.
 */
export function playedKept(now: () => number = Date.now) {
  const open = new Map<string, Open>()

  async function read({ store, fairQueue }: Needs, of: Open, span: Span, actors: readonly Key[]) {
    const kept = new Map<Key, Kept>()
    for (const actor of actors) {
      const one = of.kept.get(actor)
      if (one && now() - one.since < boards.readAgainSeconds * 1000) kept.set(actor, one)
    }
    const parts = [
      ...inParts([...kept.keys()], atOnce.new),
      ...inParts(
        actors.filter((actor) => !kept.has(actor)),
        atOnce.all,
      ),
    ]
    for (const part of parts) {
      const asked = part.map((actor) => ({ actor, after: kept.get(actor)?.after ?? span.after }))
      const wanted = { until: span.until ?? undefined, verbs: attemptVerbKeys }
      const found = await fairQueue.run(span.game, () => store.learnerResults.newest(span.game, asked, wanted))
      for (const [n, statements] of found.entries()) {
        const before = kept.get(part[n]!) ?? { told: [], played: [], after: span.after, since: now() }
        if (statements.length > 0) await setImmediate()
        kept.set(part[n]!, statements.length > 0 ? withNew(before, statements, span) : before)
      }
    }
    of.kept = kept
    of.bytes = sum([...kept.values()].flatMap(({ told }) => told))
    return kept
  }

  function forget(): void {
    let bytes = [...open.values()].reduce((all, one) => all + one.bytes, 0)
    for (const [key, one] of open) {
      if (bytes <= boards.bytes && open.size <= boards.open) return
      open.delete(key)
      bytes -= one.bytes
    }
  }

  /** By actor. @throws Refusal */
  return async function played(core: Needs, lessonId: string, span: Span, actors: readonly Key[]) {
    const key = `${lessonId} ${span.after}`
    const of: Open = open.get(key) ?? { kept: new Map(), bytes: 0 }
    open.delete(key)
    open.set(key, of)
    of.next ??= (of.running ?? Promise.resolve())
      .catch(() => {})
      .then(() => {
        of.next = undefined
        of.running = read(core, of, span, actors).finally(() => (of.running = undefined))
        return of.running
      })
    const kept = await of.next
    forget()
    return kept
  }
}

export type PlayedKept = ReturnType<typeof playedKept>

function withNew(before: Kept, statements: readonly LearnerStatement[], { gameId, start }: Span): Kept {
  const bytesOf = new Map(statements.map(({ stored, body }) => [stored, body?.length ?? 0]))
  const added = saidIn(parsed(statements)).flatMap((said) => {
    const step = toldStep(said, start)
    return step ? [{ step, bytes: bytesOf.get(said.stored)! }] : []
  })
  const told = [...before.told, ...added].slice(-classResults.statements)
  let bytes = sum(told)
  while (bytes > classResults.bytes) bytes -= told.shift()!.bytes
  return {
    told,
    played:
      added.length === 0
        ? before.played
        : playedIn(
            told.map(({ step }) => step),
            gameId,
          ),
    after: statements.at(-1)!.stored,
    since: before.since,
  }
}

const sum = (told: Kept['told']): number => told.reduce((all, { bytes }) => all + bytes, 0)

const inParts = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size))
