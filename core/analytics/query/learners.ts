import { learnerPages } from '../../../shared/limits.ts'
import { learnerAccount, learnerKeys, learnerOf, type Learner } from '../../records/access/learner.ts'
import { noGame } from '../../records/access/no-game.ts'
import type { Core } from '../../context.ts'
import { Refusal } from '../../process/refusal.ts'
import type { LearnerInShort, WordPlace } from '../store/cell/learners-seen.ts'
import type { PlayerLearner } from '../store/learner-words.ts'
import { consentVersion } from '../rules/consent.ts'
import { levelsOf, playedBy } from '../rules/learner-levels.ts'
import { wordsOf } from '../../process/rules/words.ts'
import { knowledgeKey } from '../../records/xapi/document-scope.ts'
import { agentIdentifier } from '../../records/xapi/identify.ts'
import { parse } from '../../records/xapi/json.ts'
import { Problem } from '../../process/problem.ts'
import type { Agent, Statement } from '../../records/xapi/types.ts'
import { outlines } from '../../records/query/outlines.ts'
import { uuidParameter } from '../../records/xapi/parameters.ts'
import { countOn } from './count-on.ts'

type Needs = Pick<Core, 'store' | 'fairQueue' | 'chartQueue' | 'countQueue' | 'countedNow' | 'jobs' | 'config' | 'work'>

/** Learners of a game, or of its sandbox. */
export interface LearnersOf {
  /** UUID. */
  readonly gameId: string
  readonly sandbox: boolean
}

/** A learner in a list; `kind`: how it came by the player, empty: it did not. */
export interface FoundLearner extends LearnerInShort {
  readonly kind: string
}

interface Place {
  /** The game as the player knows it. */
  readonly directory: number
  /** Where its statements are: the game or its sandbox; undefined: the sandbox was never opened. */
  readonly game: number | undefined
  /** When the game began: milliseconds; null: the studio has not set it. */
  readonly start: number | null
  readonly kinds: readonly string[]
  /** UUID of the sandbox, if it is one: its documents have keys of their own. */
  readonly sandboxId?: string
  /** Names the text that learners agree to, in each language, that of the page first. */
  readonly consentVersions: readonly string[]
}

/** @param studio must own the game; undefined: any game. @throws Refusal 'not-found' */
async function tenantOf({ store }: Pick<Core, 'store'>, studio: number | undefined, of: LearnersOf): Promise<Place> {
  const found = await store.games.tenants(of.gameId, studio)
  if (!found) throw noGame(studio === undefined ? 'admin' : undefined)
  const { start } = found
  return of.sandbox
    ? {
        directory: found.game,
        start,
        game: found.sandbox ?? undefined,
        kinds: ['test'],
        sandboxId: found.sandboxId ?? undefined,
        consentVersions: [],
      }
    : {
        consentVersions: found.consents.map(({ text }) => consentVersion(text)),
        start,
        directory: found.game,
        game: found.game,
        kinds: ['player', 'invited'],
      }
}

/** Runs `work` after the game's new statements were folded, for about two seconds. Each studio has one at a time. */
async function folded<T>(
  core: Needs,
  who: number | string | undefined,
  game: number,
  work: (seen: Awaited<ReturnType<Core['store']['learnersSeen']>>) => Promise<T>,
): Promise<T & { complete: boolean }> {
  const { store, fairQueue, chartQueue } = core
  const seen = await store.learnersSeen(game)
  await countOn(core, who, game, 'lists of learners', seen)
  return chartQueue.run(who ?? 'admins', () =>
    fairQueue.run(game, async () => {
      const [found, isBehind] = [await work(seen), await seen.isBehind(game)]
      return { ...found, complete: !isBehind }
    }),
  )
}

/** Learners whose words begin with those of the text; the last seen ones without a text. @throws Problem, Refusal */
export async function findLearners(
  core: Needs,
  studio: number | undefined,
  {
    text,
    teams,
    after,
    limit: wanted,
    ...of
  }: LearnersOf & {
    text: string
    teams: boolean
    after: string
    limit: number
  },
): Promise<{ learners: FoundLearner[]; waiting: FoundLearner[]; next: string; complete: boolean }> {
  const place = await tenantOf(core, studio, of)
  const { game } = place
  const limit = wanted || learnerPages.learners
  const words = wordsOf(text)
  if (game === undefined || (text.trim() !== '' && words.length === 0))
    return { learners: [], waiting: [], next: '', complete: true }
  const found = await folded(core, studio, game, async (seen) => {
    if (words.length > 0) return byWords(seen, { game, words, teams, after, limit })
    const learners = await seen.recent(game, teams, recentPlace(after), limit + 1)
    const last = learners.length > limit ? learners[limit - 1] : undefined
    return { learners: learners.slice(0, limit), next: last ? `${last.last}.${last.actor}` : '' }
  })
  const { learners, next, complete } = found
  const isFirst = after === '' && words.length > 0 && !teams
  return {
    learners: await withKinds(core, place, learners),
    waiting: isFirst ? await waitingOf(core, place, words) : [],
    next,
    complete,
  }
}

/** Clients that players of the last days used last, with their versions. @throws Refusal 'not-found' */
export async function clientVersions(core: Needs, studio: number | undefined, of: LearnersOf) {
  const { game } = await tenantOf(core, studio, of)
  if (game === undefined) return { versions: [], complete: true }
  const since = (Date.now() - learnerPages.clientDays * 86_400_000) * 1000
  return folded(core, studio, game, async (seen) => ({ versions: await seen.clients(game, since) }))
}

async function byWords(
  seen: Awaited<ReturnType<Core['store']['learnersSeen']>>,
  {
    game,
    words,
    teams,
    after,
    limit,
  }: {
    game: number
    words: readonly string[]
    teams: boolean
    after: string
    limit: number
  },
): Promise<{ learners: LearnerInShort[]; next: string }> {
  const word = words.length === 1 ? words[0]! : await seen.rarest(game, words)
  const others = words.filter((other) => other !== word)
  let place = wordPlace(after)
  const learners: LearnerInShort[] = []
  for (let read = 0; read < learnerPages.candidates;) {
    const places = await seen.candidates(game, word, place, batch)
    const found = await seen.matching(game, places, word, others, teams)
    for (const one of found) {
      if (learners.length === limit) return { learners, next: textOf(place!) }
      learners.push(one)
      place = one
    }
    if (places.length < batch) return { learners, next: '' }
    place = places.at(-1)!
    read += places.length
  }
  return { learners, next: textOf(place!) }
}

const batch = 500
const textOf = ({ word, actor }: WordPlace): string => `${actor}.${word}`

function wordPlace(after: string): WordPlace | undefined {
  if (after === '') return undefined
  const [, actor, word] = /^([\da-f]{32})\.([\p{L}\p{N}]{1,64})$/u.exec(after) ?? []
  if (actor === undefined || word === undefined) throw unknownPlace()
  return { actor, word }
}

function recentPlace(after: string): { last: number; actor: string } | undefined {
  if (after === '') return undefined
  const [, last, actor] = /^(\d{1,16})\.([\da-f]{32})$/.exec(after) ?? []
  if (actor === undefined) throw unknownPlace()
  return { last: Number(last), actor }
}

const unknownPlace = () => new Problem('after', 'must be `next` of the page before, unchanged')

async function withKinds(
  { store, config }: Needs,
  { directory }: Place,
  learners: readonly LearnerInShort[],
): Promise<FoundLearner[]> {
  const accounts = learners.map(({ agent }) => learnerAccount(parse(agent) as Agent, config.authorityHome))
  const known = await store.learners.some(
    directory,
    accounts.filter((one) => one !== undefined),
  )
  const kinds = new Map(known.map(({ id, kind }) => [id, kind]))
  return learners.map((learner, n) => ({ ...learner, kind: kinds.get(accounts[n] ?? '') ?? '' }))
}

/** Learners whom the player knows by a name, who have stored no statement. */
async function waitingOf({ store, config }: Needs, place: Place, words: readonly string[]): Promise<FoundLearner[]> {
  const { directory, game, kinds } = place
  for (let rounds = 0; rounds < 20 && !(await store.learnerWords.add(directory)); rounds++);
  const rarestFirst = words.toSorted((a, b) => b.length - a.length)
  const found = await store.learnerWords.find(directory, rarestFirst, kinds, learnerPages.learners)
  const keys = found.map(({ id }) => learnerKeys(id, config).key)
  const seen = await store.learnersSeen(game!)
  const played = new Set((await seen.some(game!, keys)).map(({ actor }) => actor))
  return found.map((one, n) => inShort(one, keys[n]!, config.authorityHome)).filter(({ actor }) => !played.has(actor))
}

const inShort = ({ id, name, kind }: PlayerLearner, actor: string, home: string): FoundLearner => ({
  actor,
  agent: agentIdentifier({ account: { homePage: `${home}/learners`, name: id } })!,
  name,
  kind,
  first: 0,
  last: 0,
  statements: 0,
  sessions: 0,
  team: false,
})

/** What is known of a learner in a game. @param who one of these asks at a time @throws Problem, Refusal 'not-found' */
export async function learnerIn(
  core: Needs,
  studio: number | undefined,
  { agent, ...of }: LearnersOf & { agent: string },
  who: number | string | undefined = studio,
) {
  const { store, config } = core
  const place = await tenantOf(core, studio, of)
  const { directory, game } = place
  const learner = learnerOf(agent, config)
  const { account, key } = learner
  const origin = account === undefined ? undefined : await store.learners.origin(directory, account)
  const found =
    game === undefined
      ? undefined
      : await folded(core, who, game, async (seen) => {
          const [[learner], statements] = [await seen.some(game, [key]), await seen.latest(game, key)]
          return { learner, statements }
        })
  const statements = found?.statements ?? []
  const documents = game === undefined ? [] : await store.learnerData.states(game, documentsOf(learner, place))
  if (!found?.learner && !origin && documents.length === 0) throw nobody()
  const recent = statements.slice(-learnerPages.statements).filter(({ voided }) => !voided)
  const said = await outlines(core.work, game ?? 0, recent)
  const played = playedBy(
    said.map(({ stored, body }) => ({ stored, statement: parse(body) as Statement })),
    of.gameId,
    place.start,
  )
  return {
    learner: {
      ...(found?.learner ?? {
        actor: key,
        agent: learner.identifier,
        first: 0,
        last: 0,
        statements: 0,
        sessions: 0,
        team: false,
      }),
      name: found?.learner?.name || (origin?.name ?? ''),
      kind: origin?.kind ?? '',
    },
    origin,
    levels: levelsOf(played).slice(0, learnerPages.levels),
    latest: statements
      .filter(({ voided }) => !voided)
      .slice(-learnerPages.latest)
      .toReversed(),
    levelStatements: Math.min(statements.length, learnerPages.statements),
    older: (found?.learner?.statements ?? 0) > Math.min(statements.length, learnerPages.statements),
    documents,
    consents: (origin === undefined ? [] : await store.ownData.consents(account!)).map((one) => ({
      ...one,
      current: place.consentVersions.includes(one.version),
    })),
    consentVersion: place.consentVersions[0] ?? '',
    complete: found?.complete ?? true,
  }
}

export const nobody = () =>
  new Refusal('not-found', 'This game knows no such learner. Find the learner by name or account.')

/** The key of documents on the learner: a sandbox has its own. */
const documentsOf = ({ key }: Learner, { sandboxId }: Place): string => knowledgeKey(key, sandboxId)

/** Sessions of a game by their registrations. @throws Problem, Refusal 'not-found' */
export async function learnerSessions(
  core: Needs,
  studio: number | undefined,
  { registrations, ...of }: LearnersOf & { registrations: readonly string[] },
) {
  const { game } = await tenantOf(core, studio, of)
  const wanted = registrations.map((one) => uuidParameter(one, 'registrations')).filter((one) => one !== undefined)
  if (game === undefined || wanted.length === 0) return []
  const { sessions } = await folded(core, studio, game, async (seen) => ({
    sessions: await seen.sessions(game, wanted),
  }))
  return sessions
}

/** A state document with the beginning of its content. @throws Problem, Refusal 'not-found' */
export async function learnerDocument(
  core: Needs,
  studio: number | undefined,
  {
    agent,
    activityId,
    registration,
    id,
    ...of
  }: LearnersOf & {
    agent: string
    activityId: string
    registration: string
    id: string
  },
) {
  const place = await tenantOf(core, studio, of)
  const { game } = place
  const learner = learnerOf(agent, core.config)
  const at = { activityId, registration: uuidParameter(registration, 'registration') ?? '', id }
  const found =
    game === undefined ? undefined : await core.store.learnerData.state(game, documentsOf(learner, place), at)
  if (!found) throw new Refusal('not-found', 'There is no such document; it may have been deleted.')
  return found
}

/** The learner, as far as one game and its sandbox hold data on it. @throws Problem, Refusal 'not-found' */
export async function learnerOfGame(
  core: Needs,
  studio: number | undefined,
  { gameId, agent }: { gameId: string; agent: string },
): Promise<Learner> {
  const found = await core.store.games.tenants(gameId, studio)
  if (!found) throw noGame(studio === undefined ? 'admin' : undefined)
  const { game, sandbox } = found
  return { ...learnerOf(agent, core.config), only: sandbox === null ? [game] : [game, sandbox] }
}
