import { randomUUID } from 'node:crypto'
import type { Learner } from '../access/learner.ts'
import type { Erasing, LearnerKeys, LearnerPlace } from '../store/cell/learner-data.ts'
import type { Store } from '../store/store.ts'
import { forget, mustGo } from '../xapi/forget.ts'
import { agentKey, relatedAgentKey } from '../xapi/identify.ts'
import { parse } from '../xapi/parse.ts'
import type { Statement } from '../xapi/types.ts'

/** What was erased, or would be. */
export interface Erased {
  readonly statements: number
  readonly pseudonymised: number
  readonly states: number
  readonly agentProfiles: number
  readonly names: number
  readonly postings: number
  readonly attachments: number
  readonly accounts: number
  readonly games: number
}

/** Milliseconds that one query of an erasure may take. */
const patience = 5 * 60_000
/** Statements that are removed at once. */
const batch = 2_000

const nothing: Erased = {
  statements: 0,
  pseudonymised: 0,
  states: 0,
  agentProfiles: 0,
  names: 0,
  postings: 0,
  attachments: 0,
  accounts: 0,
  games: 0,
}

class OnlyCounted extends Error {
  readonly counts: Erased

  constructor(counts: Erased) {
    super('nothing was erased')
    this.counts = counts
  }
}

/**
 * Erases everything that is held on an agent, in all games or in some, in one transaction (docs/privacy.md).
 * @param home IRI under which the pseudonym is an account
 * @param preview count only: all of it is taken back
 */
export async function eraseLearner(
  { learnerData, learners }: Pick<Store, 'learnerData' | 'learners'>,
  learner: Learner,
  home: string,
  preview: boolean,
): Promise<Erased> {
  const account = { homePage: `${home}/erased`, name: randomUUID() }
  const pseudonym: LearnerKeys = { key: agentKey({ account })!, relatedKey: relatedAgentKey({ account })! }
  try {
    return await learnerData.erase(patience, async (cells, run) => {
      let erased = { ...nothing }
      for await (const erasing of cells) erased = sum(erased, await eraseInCell(erasing, learner, pseudonym, account))
      erased.accounts += await learners.remove(run, learner)
      if (preview) throw new OnlyCounted(erased)
      return erased
    })
  } catch (error) {
    if (error instanceof OnlyCounted) return error.counts
    throw error
  }
}

async function eraseInCell(
  erasing: Erasing,
  learner: Learner,
  pseudonym: LearnerKeys,
  account: { homePage: string; name: string },
): Promise<Erased> {
  const own: LearnerPlace[] = await erasing.acting(learner)
  for await (const page of erasing.naming(learner)) {
    for (const { game, stored, body } of page)
      if (mustGo(parse(body) as Statement, learner.key)) own.push({ game, stored })
  }
  const games = new Set(own.map(({ game }) => game))
  const counts = { statements: 0, postings: 0, attachments: 0 }
  for (let at = 0; at < own.length; at += batch) {
    const removed = await erasing.remove(own.slice(at, at + batch))
    counts.statements += removed.statements
    counts.postings += removed.postings
    counts.attachments += removed.attachments
  }
  let pseudonymised = 0
  for await (const page of erasing.naming(learner)) {
    for (const { game } of page) games.add(game)
    await erasing.rewrite(
      page.map(({ game, stored, body }) => ({ game, stored, ...forget(body, learner.key, account) })),
      learner,
      pseudonym,
    )
    pseudonymised += page.length
  }
  counts.postings += await erasing.renamePostings(learner, pseudonym)
  await erasing.renameDays(learner.key, pseudonym.key, [...games])
  await erasing.forgetSeen(learner.key, [...games])
  await erasing.recount([...games])
  return {
    ...counts,
    ...(await erasing.removeDocuments(learner)),
    pseudonymised,
    names: await erasing.removeNames(learner),
    accounts: 0,
    games: games.size,
  }
}

const sum = (one: Erased, other: Erased): Erased =>
  Object.fromEntries(
    Object.entries(one).map(([what, count]) => [what, count + other[what as keyof Erased]]),
  ) as unknown as Erased
