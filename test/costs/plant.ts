import type { storeOver } from '../../core/store.ts'
import { documentKey } from '../../core/records/xapi/document-scope.ts'
import type { TestDatabase } from '../support/database.ts'
import { planted } from './hot-statements.ts'

/** Inserts documents and studios with games, builds and reviews, in proportion to `size`. */
export async function plant({ sql }: TestDatabase, size: number): Promise<void> {
  await sql(
    `insert into document (scope, registration, id_key, updated, id, content_type, etag, agent, content)
    select case when n < 10 then $2::uuid else gen_random_uuid() end, '00000000-0000-0000-0000-000000000000',
      case when n = 0 then $3::uuid else gen_random_uuid() end, n, 'document ' || n, 'application/json', '',
      case when n < 10 then $4::uuid else gen_random_uuid() end, '{}'
    from generate_series(0, $1 / 4) n`,
    [size, planted.scope, documentKey(planted.id), planted.agent],
  )
  await sql(
    `with studios as (
        insert into studio (email, password_hash, name, slug)
        select n || '@example.org', '', 'Studio ' || n, 'studio-' || n
        from generate_series(1, $1 / 20) n returning id, slug),
      games as (
        insert into game (name, studio, slug, state, published)
        select 'Game', id, replace(slug, 'studio', 'game'), 'published', now() - random() * interval '300 days'
        from studios returning id),
      builds as (
        insert into build (uuid, game, kind, file_name, size, files, expanded)
        select gen_random_uuid(), id, 'browser', 'game.zip', 1, 1, 1 from games returning id, game)
    insert into review (game, build, decided, approved) select game, id, now(), true from builds`,
    [size],
  )
  await sql('update studio set accepted_name = name, accepted_about = about, accepted_website = website')
  await sql(
    'update game g set live_build = b.id, accepted_name = name, accepted_summary = summary, accepted_description = description from build b where b.game = g.id',
  )
}

/** Folds the game's statements into its tallies; the last 300 are left for the next fold. */
export async function foldTallies(
  { sql }: TestDatabase,
  { tallies }: Pick<ReturnType<typeof storeOver>, 'tallies'>,
  game: number,
): Promise<void> {
  await tallies.begin(game)
  while ((await tallies.fold(game)) === 'more');
  await sql(
    `update tally_cursor set stored = coalesce((
        select stored from statement where game = $1 order by stored desc offset 300 limit 1), 0)
      where game = $1`,
    [game],
  )
}
