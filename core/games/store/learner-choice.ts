import { isPlayable, type State } from '../rules/lifecycle.ts'
import { consentVersion } from '../../analytics/rules/consent.ts'
import { Problem } from '../../process/problem.ts'
import { credentialOf } from '../../records/store/cell/game-credentials.ts'
import { consentTexts } from './game-pages.ts'
import type { ConsentText } from './read-games.ts'
import { did, sql, type Run } from '../../process/database/database.ts'

/** Who wants to play. */
export interface LearnerChoice {
  /** SHA-256 of an invitation's code. */
  readonly invitation?: Buffer | undefined
  /** SHA-256 of the token that the learner's browser keeps. */
  readonly learnerToken?: Buffer | undefined
  /** Name of the learner from now on; undefined: unchanged. */
  readonly learnerName?: string | undefined
  /** SHA-256 of the token for the browser of a new learner. */
  readonly newToken: Buffer
  /** The version of the consent text that the learner agrees to; empty: none. */
  readonly consent: string
}

/** A published game that can be played now. */
export interface PlayedGame {
  readonly id: number
  readonly build: number
  readonly credential: number
  /** The text that learners agree to, in each language; none: there is no text. */
  readonly consents: readonly { readonly version: string; readonly language: string }[]
  readonly devices: boolean
}

export interface Chosen {
  readonly id: string
  readonly name: string
  readonly how: 'new' | 'returned' | 'invited'
}

const lockPlayed = sql('launch_lock_played')`
  select id, live_build as build, state, ${consentTexts} as consents, devices from game g
    where slug = $1 and studio is not null and deleted is null
      and not exists (select from studio s where s.id = g.studio and s.suspended is not null) for share`
const invited = sql('learner_invited')`
  with i as (update invitation set used = used + 1, last_used = now()
      where game = $1 and code_hash = $2 and revoked is null returning learner)
    select l.uuid as id, l.name from i join learner l on l.uuid = i.learner`
const returning = sql('learner_returning')`
  update learner set name = coalesce($3, name), worded = worded and coalesce($3 = name, true)
    where game = $1 and token_hash = $2 and kind = 'player' returning uuid as id, name`
export const addLearner = sql('learner_add')`
  insert into learner (game, kind, name, token_hash) values ($1, $2, $3, $4) returning uuid as id, name`
const hasAgreed = sql('launch_has_agreed')`select from consent where learner = $1 and version = any ($2)`
export const agree = sql('launch_agree')`
  insert into consent (learner, version, language) values ($1, $2, $3) on conflict do nothing`

/** The game of this name in addresses, locked; undefined: it cannot be played now. */
export async function playedGame(run: Run, slug: string): Promise<PlayedGame | undefined> {
  const [game] = await run<
    Omit<PlayedGame, 'build' | 'consents'> & {
      build: number | null
      state: State
      consents: readonly ConsentText[]
    }
  >(lockPlayed, [slug])
  if (!game || !isPlayable(game.state) || game.build === null) return undefined
  const credential = (await credentialOf(run, game.id))?.id
  if (credential === undefined) return undefined
  const consents = game.consents.map(({ language, text }) => ({ language, version: consentVersion(text) }))
  return { ...game, build: game.build, credential, consents }
}

export const agreedTo = async (run: Run, learner: string, { consents }: PlayedGame): Promise<boolean> =>
  consents.length === 0 || did(run(hasAgreed, [learner, consents.map(({ version }) => version)]))

/** The learner who plays, made if it is a new one. @throws Problem at `consent`: it has not agreed to the text */
export async function chooseLearner(
  run: Run,
  game: PlayedGame,
  choice: LearnerChoice,
): Promise<Chosen | 'no-invitation' | 'no-name'> {
  const found = await learnerOf(run, game, choice)
  if (typeof found === 'string') return found
  const agreed = game.consents.find(({ version }) => version === choice.consent)
  if (agreed) await run(agree, [found.id, agreed.version, agreed.language])
  else if (!(await agreedTo(run, found.id, game))) throw new Problem('consent', 'must be agreed to before you play')
  return found
}

async function learnerOf(
  run: Run,
  { id: game }: PlayedGame,
  { invitation, learnerToken, learnerName, newToken }: LearnerChoice,
): Promise<Chosen | 'no-invitation' | 'no-name'> {
  const first = async (query: typeof invited, values: unknown[], how: Chosen['how']) => {
    const [row] = await run<Omit<Chosen, 'how'>>(query, values)
    return row && { ...row, how }
  }
  if (invitation) return (await first(invited, [game, invitation], 'invited')) ?? 'no-invitation'
  const known = learnerToken && (await first(returning, [game, learnerToken, learnerName ?? null], 'returned'))
  if (known) return known
  if (learnerName === undefined) return 'no-name'
  return (await first(addLearner, [game, 'player', learnerName, newToken], 'new'))!
}
