import type { EraseLearnerResponse } from '../../../gen/lrs/v1/admin_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { randomUUID } from 'node:crypto'
import { forwards as forwardLimits, leaseSeconds } from '../../../shared/limits.ts'
import type { Learner } from '../../records/access/learner.ts'
import { hold } from '../../process/jobs/hold.ts'
import type { Erasing } from '../../records/store/cell/erase-learner-data.ts'
import type { LearnerKeys, NamedGame, NamingStatement } from '../../records/store/cell/named-learners.ts'
import type { Run } from '../../process/database/database.ts'
import type { UnderWay } from '../../records/store/erasings.ts'
import type { Store } from '../../store.ts'
import { forget, mustGo } from '../../records/xapi/forget.ts'
import { agentKey, relatedAgentKey, type Key } from '../../records/xapi/identify.ts'
import { parse } from '../../records/xapi/json.ts'
import type { Statement } from '../../records/xapi/types.ts'

/** What was erased, or would be. */
export type Erased = Fields<Omit<EraseLearnerResponse, 'receiptId' | 'erased'>>

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

/** Most statements of a game that the last step removes or changes while writers wait. */
const mostAtLast = 50
/** If more were stored meanwhile, further steps remove them. The last step removes at most this many pages at once. */
const roundsAtMost = 4
const pagesAtLast = 10

type Needs = Pick<Store, 'learnerData' | 'learners' | 'webhookEvents' | 'forwards' | 'erasings' | 'transaction'>

/**
 * Erases everything that is held on an agent, in all games or in some (docs/privacy.md). It goes in steps, so writers
 * wait for one step at most. If this core ends, another one goes on (`goOnErasing`).
 * @param home IRI under which the pseudonym is an account
 * @param preview count only: each step is taken back
 * @param last what the last transaction does before it ends
 */
export async function eraseLearner(
  store: Needs,
  learner: Learner,
  home: string,
  preview: boolean,
  last?: (run: Run) => Promise<void>,
): Promise<Erased> {
  const pseudonym = randomUUID()
  if (preview) return erase(store, { learner, pseudonym, home })
  const { key, relatedKey, account, only, identifier } = learner
  const begun = await store.erasings.begin({ key, relatedKey, account, only, identifier }, pseudonym, leaseSeconds)
  const held = hold(begun, store.erasings.renew, leaseSeconds)
  return erase(store, { ...begun, home, last }).finally(held.end)
}

/** Goes on with an erasure whose core has ended. */
export const goOnErasing = async (store: Needs, home: string, begun: UnderWay<Learner>): Promise<void> =>
  void (await erase(store, { ...begun, home }))

interface Way {
  /** Undefined: a preview. */
  readonly id?: string
  readonly learner: Learner
  readonly pseudonym: string
  readonly home: string
  readonly last?: (run: Run) => Promise<void>
}

async function erase(store: Needs, way: Way): Promise<Erased> {
  const { learnerData, learners, webhookEvents, forwards, erasings } = store
  const { id, learner, last } = way
  const rounds = await learnerData.steadily(async () => {
    let erased = nothing
    const cells = await learnerData.erasable()
    // a second time: a move may have copied statements to a cell that was already searched
    for (const { cell, on } of id !== undefined && cells.length > 1 ? [...cells, ...cells] : cells) {
      const step: Step = (work) => on.eraseStep(cell, id === undefined, work)
      erased = sum(erased, await eraseInCell(step, way, (game) => erasings.found(id!, game)))
    }
    return erased
  })
  if (id === undefined) {
    return { ...rounds.at(-1)!, accounts: (await learners.account(learner)) ? 1 : 0 }
  }
  return store.transaction(async (run) => {
    await last?.(run)
    const erased = rounds.reduce(sum)
    const games = await erasings.end(run, id)
    // another core has gone on with it, and has made the events
    if (!games) return erased
    await webhookEvents.forgetAnswers(run, games)
    await webhookEvents.tell(games, 'learner.erased', { learner: parse(learner.identifier) }, run)
    // what a target wrote may quote the learner
    await forwards.erased(run, games, forgottenReason, forwardLimits.erasureDays)
    return { ...erased, accounts: await learners.remove(run, learner) }
  })
}

/** In place of what a target wrote. */
const forgottenReason = 'The target did not take it. What it answered was forgotten when a learner was erased.'

type Step = <T>(work: (erasing: Erasing) => Promise<T>) => Promise<T>

async function eraseInCell(step: Step, way: Way, found: (game: number) => Promise<void>): Promise<Erased> {
  const { id, learner, home } = way
  const account = { homePage: `${home}/erased`, name: way.pseudonym }
  const pseudonym: LearnerKeys = { key: agentKey({ account })!, relatedKey: relatedAgentKey({ account })! }
  const preview = id === undefined
  const games = new Set<number>()
  let counts = nothing
  /** Statements that a preview has not removed. */
  const going = new Set<number>()

  /** Removes or changes these statements, in one step. */
  async function go(erasing: Erasing, page: readonly NamingStatement[]): Promise<Erased> {
    const [own, others] = [[], []] as [NamingStatement[], NamingStatement[]]
    for (const one of page) (one.acts || mustGo(parse(one.body) as Statement, learner.key) ? own : others).push(one)
    const changed = others.map(({ game, stored, body }) => ({ game, stored, ...forget(body, learner.key, account) }))
    const actors = [...changed, ...(await erasing.actors(page))].map(({ actor }) => plain(actor))
    await erasing.recountLearners(page[0]!.game, new Set(actors.filter((actor) => actor !== plain(learner.key))))
    await erasing.takeOffDays(own)
    await erasing.lock()
    const removed = own.length === 0 ? nothing : await erasing.remove(own)
    const renamed = changed.length === 0 ? 0 : await erasing.rewrite(changed, learner, pseudonym)
    if (preview) for (const { stored } of own) going.add(stored)
    return { ...nothing, ...removed, postings: removed.postings + renamed, pseudonymised: changed.length }
  }

  async function allOf(game: NamedGame): Promise<void> {
    if (!preview) await found(game.game)
    games.add(game.game)
    // what is stored meanwhile goes afterwards: a learner may write as fast as this removes
    const until = await step((erasing) => erasing.through())
    for (let after = 0; after < until;) {
      const done = await step(async (erasing) => {
        await erasing.alone()
        const page = await erasing.next(learner, game, after)
        return page.length === 0 ? undefined : { counts: await go(erasing, page), last: page.at(-1)!.stored }
      })
      if (!done) break
      counts = sum(counts, done.counts)
      after = done.last
    }
    if (preview) {
      const linked = await step((erasing) => erasing.linkedTo(learner, game.game))
      for (const { target, count } of linked)
        if (!going.has(target)) counts = sum(counts, { ...nothing, postings: count })
      return
    }
    for (let renamed = 1; renamed > 0;) {
      renamed = await step(async (erasing) => {
        await erasing.lock()
        return erasing.renamePostings(learner, pseudonym, game.game)
      })
      counts = sum(counts, { ...nothing, postings: renamed })
    }
  }

  for (const game of preview ? [] : await step((erasing) => erasing.formerGames(learner))) await found(game)
  for (let rounds = 0; ; rounds++) {
    for (const game of await step((erasing) => erasing.games(learner))) await allOf(game)
    // so that there is little left to write while writers wait; this transaction may not wait for rows of it any more
    if (!preview) await step((erasing) => erasing.tellAll())
    const ended = await step(async (erasing) => {
      await erasing.alone()
      await erasing.forgetLearner(learner.key, [...games])
      await erasing.forgetSeen(learner.key, [...games])
      await erasing.forgetFormer(learner)
      await erasing.recount([...games])
      const documents = await erasing.removeDocuments(learner)
      await erasing.lock()
      let rest = nothing
      // what was stored since, unless it is too much for one step
      for (const game of preview ? [] : await erasing.games(learner)) {
        for (let pages = 0; pages < pagesAtLast; pages++) {
          const page = await erasing.next(learner, game, 0)
          if ((!games.has(game.game) || page.length > mostAtLast) && rounds < roundsAtMost) throw new More()
          if (page.length === 0) break
          rest = sum(rest, await go(erasing, page))
        }
        rest = sum(rest, {
          ...nothing,
          postings: await erasing.renamePostings(learner, pseudonym, game.game),
        })
      }
      return sum(rest, { ...nothing, ...documents, names: await erasing.removeNames(learner) })
    }).catch((error: unknown) => {
      if (error instanceof More) return undefined
      throw error
    })
    if (ended) return { ...sum(counts, ended), games: games.size }
  }
}

/** More was stored than the last step takes. */
class More extends Error {}

/** Postgres writes UUIDs with hyphens. */
const plain = (key: Key): string => key.replaceAll('-', '')

const sum = (one: Erased, other: Erased): Erased =>
  Object.fromEntries(
    Object.entries(one).map(([what, count]) => [what, count + other[what as keyof Erased]]),
  ) as unknown as Erased
