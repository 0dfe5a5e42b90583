import { randomUUID } from 'node:crypto'
import { hashSecret, newSecret } from '../../core/process/secret.ts'
import { next, type State } from '../../core/games/rules/lifecycle.ts'
import type { OrganisationKind } from '../../core/accounts/rules/roles.ts'
import type { BuildKind } from '../../core/games/rules/upload-kinds.ts'
import { bearer } from './xapi.ts'
import type { CoreClient } from './core-client.ts'
import { tokens, type System } from './system.ts'

export interface Studio {
  readonly id: number
  /** Id of its owner. */
  readonly account: number
  readonly email: string
  readonly slug: string
  /** What its browser would have in the cookie `session`. */
  readonly session: string
  /** Straight to core n, as the portal would for this studio. */
  on(core?: number): CoreClient
}

/** A signed-in studio, put into the database: without the time that a password takes. */
export async function addStudio(
  { database, connections }: Pick<System, 'database' | 'connections'>,
  name: string,
  { reviewer = false, kind = 'studio' }: { reviewer?: boolean; kind?: OrganisationKind } = {},
): Promise<Studio> {
  const slug = `${name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}-${randomUUID().slice(0, 8)}`
  const session = newSecret()
  const text = `with s as (insert into studio (name, slug, kind) values ($2, $3, $6) returning id),
      a as (insert into account (email, password_hash, reviewer) values ($1, '', $4) returning id),
      m as (insert into member (studio, account, role) select s.id, a.id, 'owner' from s, a)
    insert into studio_session (hash, studio, account, expires) select $5, s.id, a.id, now() + interval '1 day' from s, a
    returning studio, account`
  const [row] = await database.sql<{ studio: number; account: number }>(text, [
    `${slug}@example.org`,
    name,
    slug,
    reviewer,
    hashSecret(session),
    kind,
  ])
  return {
    id: row!.studio,
    account: row!.account,
    email: `${slug}@example.org`,
    slug,
    session,
    on: (core = 0) => connections[core]!.as(bearer(tokens.portal), { 'x-lrs-session': session }),
  }
}

/** A build that was checked and is staged now, without files; returns its id. */
export async function stageBuild(
  { cores, database }: System,
  gameId: string,
  kind: BuildKind = 'browser',
): Promise<string> {
  const buildId = randomUUID()
  const { store } = cores[0]!
  await store.transaction(async (run) => {
    const text = 'select id, state, live_build as live, staged_build as staged from game where uuid = $1 for update'
    const [game] = await database.sql<{ id: number; state: State; live: number | null; staged: number | null }>(text, [
      gameId,
    ])
    const step = next({ state: game!.state, live: game!.live !== null, staged: game!.staged !== null }, 'stage')
    if ('refused' in step) throw new Error(step.refused)
    const fileName = kind === 'browser' ? 'quiz.zip' : 'quiz.AppImage'
    await store.builds.stage(
      run,
      { buildId, game: game!.id, kind, fileName, size: 1_000, files: 3, expanded: 2_500 },
      step.state,
      game!.staged,
    )
  })
  return buildId
}
