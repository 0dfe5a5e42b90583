import type { GameFacts } from '../rules/catalogue.ts'
import type { Texts } from '../rules/game-texts.ts'
import { catalogue } from '../../../shared/catalogue.ts'
import { did, done, scalar, sql, type Run } from '../../process/database/database.ts'

/** The texts of a game's page. */
export interface GameTexts {
  readonly name: string
  readonly summary: string
  readonly description: string
  /** What learners agree to before they play; empty: nothing. */
  readonly consent: string
  /** By what teachers find it. */
  readonly facts: GameFacts
}

/** How the player shows a game. */
export interface PlayerSettings {
  readonly isolated: boolean
  /** Empty: any. */
  readonly orientation: '' | 'landscape' | 'portrait'
  /** Origins of the pages that may show it in a frame. */
  readonly embed: readonly string[]
  /** Installed copies may be linked with learners. */
  readonly devices: boolean
  /** What opens an installed copy; empty: nothing. */
  readonly launchLink: string
}

/** SQL: PlayerSettings of the game `g`. */
export const playerOf = `jsonb_build_object('isolated', g.isolated, 'orientation', g.orientation, 'embed', g.embed,
  'devices', g.devices, 'launchLink', g.launch_link)`

/** SQL: the accepted consent text of the game `g` in each language, as visitors can read it: ConsentText[]. */
export const consentTexts = `case when coalesce(g.accepted_consent, '') = '' then '[]' else jsonb_build_array(
    jsonb_build_object('language', coalesce(g.accepted_facts ->> 'textLanguage', 'en'), 'text', g.accepted_consent)) || (
    select coalesce(jsonb_agg(jsonb_build_object('language', key, 'text', value ->> 'consent')), '[]')
    from jsonb_each(g.accepted_texts)
    where value ->> 'consent' <> '' and key <> coalesce(g.accepted_facts ->> 'textLanguage', 'en')) end`

/** Changed texts; without `consent` or `facts` those stay. */
export type NewTexts = Omit<GameTexts, 'consent' | 'facts'> & {
  readonly consent?: string | undefined
  readonly facts?: GameFacts | undefined
}

/** SQL: whether the draft of the game `g` differs from its accepted page. */
export const isChanged = `(g.accepted_name is not null and (
    (g.name, g.summary, g.description, g.consent, g.facts, g.texts) is distinct from (g.accepted_name, g.accepted_summary,
      g.accepted_description, coalesce(g.accepted_consent, ''), g.accepted_facts, g.accepted_texts)
    or (select array_agg((uuid, text) order by kind, place, id)
        from game_file where game = g.id and not removed)
      is distinct from
      (select array_agg((uuid, accepted_text) order by kind, accepted_place, id)
        from game_file where game = g.id and accepted_text is not null)))`

const listGone = `listed as (insert into garbage (key, due) select storage_key, now() from gone
        on conflict (key) do update set due = excluded.due)`

const update = sql('game_update')`
  update game set name = $2, slug = $3, summary = $4, description = $5, consent = coalesce($6, consent),
      facts = coalesce($7, facts)
    where id = $1`
const setText = sql('game_set_text')`
  update game set texts = case when $3::jsonb is null then texts - $2::text else texts || jsonb_build_object($2::text, $3::jsonb) end
    where id = $1 and ($3::jsonb is null or texts ? $2::text or (select count(*) from jsonb_object_keys(texts)) < $4)
    returning 1`
const setPlayer = sql('game_set_player')`
  update game set isolated = $2, orientation = $3, embed = $4, devices = $5, launch_link = $6, updated = now()
    where id = $1`
const describeFile = sql('game_file_describe')`
  update game_file set text = $3 where uuid = $2 and game = $1 and not removed returning id`
const moveFile = sql('game_file_move')`with listed as (
        select id, uuid, kind, row_number() over (partition by kind order by place, id)::int as n
        from game_file where game = $1 and not removed),
      moved as (select kind, n from listed where uuid = $2)
    update game_file f set place = case l.n when m.n then m.n + $3::int when m.n + $3::int then m.n else l.n end
      from listed l join moved m using (kind) where f.id = l.id returning 1`
const removeFile = sql('game_file_remove')`with gone as (
        delete from game_file where uuid = $2 and game = $1 and accepted_text is null returning storage_key),
      ${listGone},
      kept as (
        update game_file set removed = true
        where uuid = $2 and game = $1 and accepted_text is not null and not removed returning storage_key)
    select storage_key from gone union all select storage_key from kept`
const turn = sql('game_page_turn')`
  update game g set page = page + 1, updated = now() where id = $1 returning ${isChanged} as changed`
const accept = sql('game_page_accept')`
  with gone as (delete from game_file where game = $1 and removed returning storage_key),
      ${listGone},
      files as (update game_file set accepted_text = text, accepted_place = place where game = $1 and not removed)
    update game set accepted_name = name, accepted_summary = summary, accepted_description = description,
      accepted_consent = consent, accepted_facts = facts, accepted_texts = texts where id = $1`
const discard = sql('game_page_discard')`
  with gone as (delete from game_file where game = $1 and accepted_text is null returning storage_key),
      ${listGone},
      files as (update game_file set text = accepted_text, place = accepted_place, removed = false
        where game = $1 and accepted_text is not null)
    update game set name = accepted_name, summary = accepted_summary, description = accepted_description,
      consent = coalesce(accepted_consent, ''), facts = accepted_facts, texts = accepted_texts
      where id = $1 and accepted_name is not null`

/** The draft of a game's page, in transactions that lock the game. */
export const gamePageStore = {
  update: (run: Run, game: number, slug: string, texts: NewTexts) =>
    done(
      run(update, [
        game,
        texts.name,
        slug,
        texts.summary,
        texts.description,
        texts.consent ?? null,
        texts.facts ? JSON.stringify(texts.facts) : null,
      ]),
    ),

  /** Undefined removes it. False: the game has texts in as many languages as it may. */
  setText: (run: Run, game: number, language: string, texts: Texts | undefined) =>
    did(run(setText, [game, language, texts ? JSON.stringify(texts) : null, catalogue.texts])),

  setPlayer: (run: Run, game: number, { isolated, orientation, embed, devices, launchLink }: PlayerSettings) =>
    done(run(setPlayer, [game, isolated, orientation, embed, devices, launchLink])),

  describeFile: (run: Run, game: number, fileId: string, text: string) => did(run(describeFile, [game, fileId, text])),

  /** Moves a file by one position among the files of its kind. False when the game has no such file. */
  moveFile: (run: Run, game: number, fileId: string, by: 1 | -1) => did(run(moveFile, [game, fileId, by])),

  /** Removes a file; its bytes stay while the accepted page has it. False when the game has no such file. */
  removeFile: (run: Run, game: number, fileId: string) => did(run(removeFile, [game, fileId])),

  /** Counts a change; returns whether the draft now differs from the accepted page. */
  turn: (run: Run, game: number) => scalar<boolean>(run(turn, [game])),

  /** Makes the draft the accepted page. */
  accept: (run: Run, game: number) => done(run(accept, [game])),

  /** Resets the draft to the accepted page. */
  discard: (run: Run, game: number) => done(run(discard, [game])),
}
