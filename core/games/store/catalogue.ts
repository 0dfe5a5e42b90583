import { publicProfile } from '../../accounts/store/studio-profiles.ts'
import { sql, type Database, type Run } from '../../process/database/database.ts'
import { termsOf, type FoundBy } from '../rules/catalogue.ts'

const pages = (where: string) => `
  select g.id, array[g.accepted_name, g.accepted_summary, g.accepted_description, ${publicProfile('name')}] || array(
        select concat_ws(' ', value ->> 'summary', value ->> 'description') from jsonb_each(g.accepted_texts)) as texts,
      g.accepted_facts as facts
    from game g join studio s on s.id = g.studio where ${where} and g.accepted_name is not null`
const pageOf = sql('catalogue_page')`${pages('g.id = $1')}`
const pagesOf = sql('catalogue_pages')`${pages('g.studio = $1 and g.deleted is null')}`
const setTerms = sql('catalogue_set')`update game set found = array_to_tsvector($2::text[]) where id = $1`

/** Computes again by what accepted pages are found. */
async function renew(run: Run, query: typeof pageOf, id: number): Promise<void> {
  for (const { id: game, ...page } of await run<FoundBy & { id: number }>(query, [id]))
    await run(setTerms, [game, termsOf(page)])
}

/** The terms under which published games are found. */
export const catalogueStore = ({ run }: Pick<Database, 'run'>) => ({
  /** After the page of a game was accepted. */
  renew: (on: Run, game: number) => renew(on, pageOf, game),
  /** After the public name of a studio has changed. */
  renewStudio: (studio: number, on: Run = run) => renew(on, pagesOf, studio),
})
