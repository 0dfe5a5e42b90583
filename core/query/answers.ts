import { noGame } from '../access/visitor.ts'
import type { Core } from '../context.ts'
import type { Answers, Part } from '../store/cell/answers.ts'
import { unlessReadOnly } from '../store/store-failure.ts'
import { foldTallies } from '../fold-tallies.ts'
import { daysOf, type Days } from './range-of-days.ts'

export interface AnswersQuery extends Days {
  /** UUID. */
  readonly gameId: string
  /** What sandbox sessions sent in place of what learners did. */
  readonly sandbox: boolean
  /** Undefined: all. */
  readonly build?: number
  readonly parts: ReadonlySet<Part>
}

/** Answers, and the days to which they refer: since 1970, in UTC. */
export interface Answered {
  /** Undefined: nobody has opened the sandbox. */
  readonly answers?: Answers
  readonly from: number
  readonly to: number
  readonly today: number
}

const dayMs = 24 * 60 * 60 * 1000

/**
 * Answers about a range of days. Counts new statements first. Each studio has one such query at a time.
 * @param studio must own the game; undefined: any game
 * @throws Problem, Refusal 'not-found'
 */
export async function getAnswers(
  {
    store,
    refusals,
    chartQueue,
    fairQueue,
    jobs,
  }: Pick<Core, 'store' | 'refusals' | 'chartQueue' | 'fairQueue' | 'jobs'>,
  studio: number | undefined,
  { gameId, sandbox, build, parts, ...range }: AnswersQuery,
): Promise<Answered> {
  const days = { ...daysOf(range), today: Math.floor(Date.now() / dayMs) }
  const tenant = await store.games.tenant(gameId, studio, sandbox)
  if (!tenant) throw noGame()
  const { game } = tenant
  if (game === null) return days
  const answers = await chartQueue.run(studio ?? 'admins', () =>
    fairQueue.run(game, async () => {
      if (parts.has('rejections')) await refusals.flush()
      await jobs.run('counts for charts', 0, () => foldTallies(store.tallies, game)).catch(unlessReadOnly)
      return store.answers.read(game, { ...days, build, parts })
    }),
  )
  return { ...days, answers }
}
