import { randomUUID } from 'node:crypto'
import { forwards as forwardLimits } from '../../../shared/limits.ts'
import type { Learner } from '../../access/learner.ts'
import type { Erasing } from '../../store/cell/erase-learner-data.ts'
import type { LearnerKeys, LearnerPlace } from '../../store/cell/named-learners.ts'
import type { Database } from '../../store/database.ts'
import type { Store } from '../../store/store.ts'
import { forget, mustGo } from '../../xapi/forget.ts'
import { agentKey, relatedAgentKey, type Key } from '../../xapi/identify.ts'
import { parse } from '../../xapi/parse.ts'
import type { Statement } from '../../xapi/types.ts'

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

/**
 * Erases everything that is held on an agent, in all games or in some (docs/privacy.md): in one transaction for each
 * server that has cells, the directory's last. If one fails, those before stay erased, and the same command goes on
 * with the others.
 * @param home IRI under which the pseudonym is an account
 * @param preview count only: all of it is taken back
 * @param first what the transaction of the directory does before, once
 */
export async function eraseLearner(
  {
    learnerData,
    learners,
    webhookEvents,
    forwards,
  }: Pick<Store, 'learnerData' | 'learners' | 'webhookEvents' | 'forwards'>,
  learner: Learner,
  home: string,
  preview: boolean,
  first: (run: Database['run']) => Promise<void> = async () => {},
): Promise<Erased> {
  const account = { homePage: `${home}/erased`, name: randomUUID() }
  const pseudonym: LearnerKeys = { key: agentKey({ account })!, relatedKey: relatedAgentKey({ account })! }
  // games in which something was found: forwards and webhooks of them are told
  const concerned = new Set<number>()
  const eraseIn = async (cells: AsyncIterable<Erasing>): Promise<Erased> => {
    let erased = { ...nothing }
    for await (const erasing of cells)
      erased = sum(erased, await eraseInCell(erasing, learner, pseudonym, account, concerned))
    return erased
  }
  let begun = false
  const rounds = await learnerData.steadily(async () => [
    ...(await learnerData.eraseElsewhere(patience, eraseIn, preview)),
    await learnerData.erase(
      patience,
      async (cells, run) => {
        if (!begun) await first(run)
        begun = true
        const erased = await eraseIn(cells)
        await tellWebhooks(run)
        // what a target wrote may quote the learner
        await forwards.erased(run, [...concerned], forgottenReason, forwardLimits.erasureDays)
        return { ...erased, accounts: await learners.remove(run, learner) }
      },
      preview,
    ),
  ])

  async function tellWebhooks(run: Database['run']): Promise<void> {
    const games = [...concerned]
    await webhookEvents.forgetAnswers(run, games)
    await webhookEvents.tell(games, 'learner.erased', { learner: parse(learner.identifier) }, run)
  }

  // a preview takes nothing away, so each of its rounds counts all
  return (preview ? rounds.slice(-1) : rounds).flat().reduce(sum)
}

/** In place of what a target wrote. */
const forgottenReason = 'The target did not take it. What it answered was forgotten when a learner was erased.'

async function eraseInCell(
  erasing: Erasing,
  learner: Learner,
  pseudonym: LearnerKeys,
  account: { homePage: string; name: string },
  concerned: Set<number>,
): Promise<Erased> {
  const own: LearnerPlace[] = await erasing.acting(learner)
  for await (const page of erasing.naming(learner)) {
    for (const { game, stored, body } of page)
      if (mustGo(parse(body) as Statement, learner.key)) own.push({ game, stored })
  }
  const games = new Set(own.map(({ game }) => game))
  const touched = new Map([...games].map((game) => [game, new Set<Key>()]))
  const touch = (game: number, actor: Key) => {
    if (!touched.has(game)) touched.set(game, new Set())
    if (plain(actor) !== plain(learner.key)) touched.get(game)!.add(plain(actor))
  }
  const counts = { statements: 0, postings: 0, attachments: 0 }
  for (let at = 0; at < own.length; at += batch) {
    const places = own.slice(at, at + batch)
    for (const { game, actor } of await erasing.actors(places)) touch(game, actor)
    const removed = await erasing.remove(places)
    counts.statements += removed.statements
    counts.postings += removed.postings
    counts.attachments += removed.attachments
  }
  let pseudonymised = 0
  for await (const page of erasing.naming(learner)) {
    const changed = page.map(({ game, stored, body }) => ({ game, stored, ...forget(body, learner.key, account) }))
    for (const { game, actor } of [...changed, ...(await erasing.actors(page))]) {
      games.add(game)
      touch(game, actor)
    }
    await erasing.rewrite(changed, learner, pseudonym)
    pseudonymised += page.length
  }
  counts.postings += await erasing.renamePostings(learner, pseudonym)
  await erasing.recountLearners(learner.key, touched)
  await erasing.renameDays(learner.key, pseudonym.key, [...games])
  await erasing.forgetSeen(learner.key, [...games])
  await erasing.recount([...games])
  for (const game of games) concerned.add(game)
  return {
    ...counts,
    ...(await erasing.removeDocuments(learner)),
    pseudonymised,
    names: await erasing.removeNames(learner),
    accounts: 0,
    games: games.size,
  }
}

/** Postgres writes UUIDs with hyphens. */
const plain = (key: Key): string => key.replaceAll('-', '')

const sum = (one: Erased, other: Erased): Erased =>
  Object.fromEntries(
    Object.entries(one).map(([what, count]) => [what, count + other[what as keyof Erased]]),
  ) as unknown as Erased
