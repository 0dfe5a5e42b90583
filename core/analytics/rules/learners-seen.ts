import { agentIdentifier, type Key } from '../../records/xapi/identify.ts'
import { parse } from '../../records/xapi/json.ts'
import type { Statement } from '../../records/xapi/types.ts'
import { happenedAt } from './when.ts'
import { wordsOf } from '../../process/rules/words.ts'

/** A statement in the order of its game. */
export interface NextStatement {
  /** Microseconds. */
  readonly stored: number
  readonly actor: Key
  readonly registration: string | null
  readonly body: string
}

/** What some statements tell of the learners of their game. */
export interface Seen {
  readonly learners: readonly SeenLearner[]
  readonly sessions: readonly SeenSession[]
  /** Words by which a learner is found. */
  readonly words: readonly { readonly actor: Key; readonly word: string }[]
}

interface SeenLearner {
  readonly actor: Key
  /** JSON of the identifier. */
  readonly agent: string
  /** The latest one; empty: none. */
  name: string
  /** When its statements happened: microseconds. */
  first: number
  last: number
  statements: number
  /** Its last statement names it as a Group. */
  team: boolean
  /** The client that it used last, with its version, as `games-lrs.js 0.4.0`; empty: none is told. */
  client: string
}

interface SeenSession {
  readonly actor: Key
  readonly registration: string
  readonly first: number
  last: number
  /** Milliseconds. */
  began: number
  ended: number
  statements: number
}

/** How our clients tell themselves with each statement, and what counts as one. */
const clientExtension = 'urn:games-lrs:client'
const clientVersion = /^games-lrs\.[a-z]{1,10} \d{1,5}\.\d{1,5}\.\d{1,5}$/
const longestName = 200
/** Learners with a longer identifier have no page, since no address could have it, and would fill a list of many. */
const longestAgent = 4_000

/**
 * Learners and teams, their sessions and words. A Group without an identifier is nobody who could be found.
 * @param start of the game, as for `happenedAt`
 */
export function learnersSeen(statements: readonly NextStatement[], start: number | null): Seen {
  const learners = new Map<Key, SeenLearner>()
  const sessions = new Map<string, SeenSession>()
  const words = new Map<string, { actor: Key; word: string }>()
  for (const { stored, actor: key, registration, body } of statements) {
    const { actor, timestamp, context } = parse(body) as Statement
    const agent = agentIdentifier(actor)
    if (agent === undefined || agent.length > longestAgent) continue
    const happened = happenedAt(timestamp, stored, start)
    const at = happened * 1000
    const team = actor.objectType === 'Group'
    const learner = learners.get(key) ?? {
      actor: key,
      agent,
      name: '',
      first: at,
      last: at,
      statements: 0,
      team,
      client: '',
    }
    learners.set(key, learner)
    learner.first = Math.min(learner.first, at)
    learner.last = Math.max(learner.last, at)
    learner.team = team
    const client: unknown = context?.extensions?.[clientExtension]
    if (typeof client === 'string' && clientVersion.test(client)) learner.client = client
    learner.statements++
    const name = (actor.name ?? '').slice(0, longestName).toWellFormed().replaceAll('\0', '')
    if (learner.statements === 1 || (name !== '' && name !== learner.name)) {
      if (name !== '') learner.name = name
      for (const word of [...wordsOf(name), ...wordsOf(accountText(actor))])
        words.set(`${key} ${word}`, { actor: key, word })
    }
    if (registration === null) continue
    const place = `${key} ${registration}`
    const session = sessions.get(place) ?? {
      actor: key,
      registration,
      first: stored,
      last: stored,
      began: happened,
      ended: happened,
      statements: 0,
    }
    sessions.set(place, session)
    session.last = stored
    session.began = Math.min(session.began, happened)
    session.ended = Math.max(session.ended, happened)
    session.statements++
  }
  return { learners: [...learners.values()], sessions: [...sessions.values()], words: [...words.values()] }
}

const accountText = ({ account, mbox, openid, mbox_sha1sum }: Statement['actor']): string =>
  account?.name ?? mbox?.replace(/^mailto:/, '') ?? openid ?? mbox_sha1sum ?? ''
