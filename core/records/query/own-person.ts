import { throwIfStale, type Caller } from '../access/caller.ts'
import { learnerAccount } from '../access/learner.ts'
import type { Config } from '../../process/config/config.ts'
import type { Store } from '../../store.ts'
import type { Key } from '../xapi/identify.ts'
import type { AgentParameter } from '../xapi/parameters.ts'
import { namesIn } from '../xapi/person.ts'
import { textsOf } from '../worker/jobs.ts'
import type { HeavyWork } from '../worker/worker.ts'
import { piecesOf, sizeOf, smallBytes } from './present.ts'

/** The number, and the bytes, of a game's latest statements that are read for the names of an agent. */
const latest = { ascending: false, limit: 100, bytes: 256 * 1024 }
/** The same limit as for a Person of all games. */
const mostNames = 100

/**
 * Names of an agent in the statements of the caller's game, as JSON strings, the oldest first. Undefined: neither these
 * statements nor a session of the game have the agent. Statements of other games are not read.
 */
export async function namesInOwnGame(
  {
    store,
    config,
    work,
  }: {
    readonly store: Pick<Store, 'statements' | 'launches'>
    readonly config: Pick<Config, 'authorityHome'>
    readonly work: HeavyWork
  },
  caller: Caller,
  { agent, key, relatedKey }: AgentParameter,
): Promise<string[] | undefined> {
  const reader = { ...caller, actor: undefined, everything: false }
  const { statements } = throwIfStale(
    await store.statements.page(reader, { agent: key, relatedAgent: relatedKey }, latest),
  )
  const texts = statements.map(({ body }) => body).toReversed()
  const names = new Set(await namesOf(work, caller.game, texts, key))
  if (statements.length > 0 || caller.learner?.agent === key) return [...names].slice(-mostNames)
  const account = learnerAccount(agent, config.authorityHome)
  return account !== undefined && (await store.launches.isLearnerOf(caller.game, account)) ? [] : undefined
}

async function namesOf(work: HeavyWork, game: number, texts: readonly Buffer[], agent: Key): Promise<string[]> {
  if (sizeOf(texts) <= smallBytes) return texts.flatMap((json) => namesIn(json.toString(), agent))
  const names: string[] = []
  for (const piece of piecesOf(texts)) names.push(...(await work.run('names', game, { texts: textsOf(piece), agent })))
  return names
}
