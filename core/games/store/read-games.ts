import type { GameReview, Build, GameFile } from '../../../gen/lrs/v1/games_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { isInReview, isPlayable, states, type State } from '../rules/lifecycle.ts'
import { fileKey } from '../rules/storage-keys.ts'
import type { BuildKind, FileKind } from '../rules/upload-kinds.ts'
import { first, scalar, seconds, sql, type Database } from '../../process/database/database.ts'
import type { GameFacts } from '../rules/catalogue.ts'
import type { TextsOfPage } from '../rules/game-texts.ts'
import { consentTexts, isChanged, playerOf, type GameTexts, type PlayerSettings } from './game-pages.ts'
import { isProfileWaiting, publicProfile } from '../../accounts/store/studio-profiles.ts'

/** A game, in short. Times are seconds since 1970. */
export interface GameSummary {
  readonly gameId: string
  readonly name: string
  readonly slug: string
  readonly summary: string
  /** Null: it has no studio. */
  readonly state: State | null
  readonly studioName: string
  readonly studioSlug: string
  readonly cover: string | null
  readonly coverText: string | null
  readonly kind: BuildKind | null
  readonly updated: number
  readonly facts: GameFacts
}

export interface BuildView extends Omit<Fields<Build>, 'kind' | 'storageKey'> {
  readonly kind: BuildKind
  readonly role: 'live' | 'staged' | 'beta' | 'replaced'
}

export interface FileView extends Fields<GameFile> {
  readonly kind: FileKind
}

export type ReviewView = Fields<GameReview>

/** The page of a game. */
export interface PageView extends GameTexts, Pick<TextsOfPage, 'texts'> {
  readonly files: readonly FileView[]
}

/** A game with all that belongs to it. */
export interface GameView extends GameSummary {
  readonly studio: number | null
  readonly description: string
  readonly consent: string
  readonly texts: TextsOfPage['texts']
  readonly player: PlayerSettings
  /** Counts the changes of the page. */
  readonly page: number
  /** The accepted page; null: none yet. */
  readonly accepted: PageView | null
  /** Whether the draft differs from the accepted page. */
  readonly changed: boolean
  readonly files: readonly FileView[]
  readonly builds: readonly BuildView[]
  readonly reviews: readonly ReviewView[]
  /** When the link of its beta was made: seconds since 1970; 0: there is none. */
  readonly betaLinked: number
}

/** What people who are no members see of a beta. */
export interface LinkedBeta extends GameSummary {
  /** Null: there is none now. */
  readonly build: BuildView | null
}

/** What learners agree to, in one language. */
export interface ConsentText {
  readonly language: string
  readonly text: string
}

/** A published game in short, with its summaries by language. */
export type ListedPublished = GameSummary & Pick<TextsOfPage, 'texts'>

/** The public data of a game. */
export interface PublishedGame extends Pick<
  GameView,
  keyof GameSummary | 'description' | 'consent' | 'texts' | 'player' | 'files'
> {
  readonly consents: readonly ConsentText[]
  readonly build: BuildView
  readonly studioProfile: {
    readonly studioId: string
    readonly about: string
    readonly website: string
    readonly logo: string | null
  }
}

export interface LocatedFile {
  readonly storageKey: string
  /** Whether the public may see it. */
  readonly public: boolean
}

export interface WaitingReview {
  readonly game: GameSummary
  readonly build: BuildView
  readonly review: ReviewView
  /** GameView.page */
  readonly page: number
}

const summaryOf = (
  texts: string,
  studioName: string,
) => `g.uuid as "gameId", ${texts}, coalesce(g.slug, '') as slug, g.state, coalesce(${studioName}, '') as "studioName",
  coalesce(s.slug, '') as "studioSlug",
  c.storage_key as cover, c.text as "coverText", b.kind, ${seconds('g.updated')} as updated`
const ofGame = (cover: string) => `left join build b on b.id = coalesce(g.live_build, g.staged_build)
  left join lateral (${cover}) c on true`
/** The draft, as its studio edits it. */
const summary = summaryOf('g.name, g.summary, g.facts', 's.name')
const ofDraft = ofGame(
  `select storage_key, text from game_file
  where game = g.id and kind = 'gallery' and not removed order by place, id limit 1`,
)
/** The page that a reviewer accepted. */
const publicSummary = summaryOf(
  'g.accepted_name as name, g.accepted_summary as summary, g.accepted_facts as facts',
  publicProfile('name'),
)
const ofPublic = ofGame(`select storage_key, accepted_text as text from game_file
  where game = g.id and kind = 'gallery' and accepted_text is not null order by accepted_place, id limit 1`)
/** Games of studios. `offset 0`: Postgres finds the rows of `where` first and joins the other tables after that. */
const fromGames = (where: string) =>
  `from (select * from game where ${where} offset 0) g join studio s on s.id = g.studio ${ofPublic}`
const fromStudio = (where: string, ofGame: string) => `from (select * from studio where ${where} offset 0) s
  cross join lateral (select * from game where studio = s.id and deleted is null offset 0) g ${ofGame}`
/** Games with or without a studio. */
const fromAny = `from game g left join studio s on s.id = g.studio ${ofDraft}`
const inSql = (names: readonly string[]) => names.map((name) => `'${name}'`).join(', ')
/** SQL: whether the public can play the game `g`, unless its studio is suspended. */
const isAccepted = `g.published is not null and g.deleted is null and g.state in (${inSql(states.filter(isPlayable))})`
/** The same with its studio as `s`. */
const isPublished = `${isAccepted} and s.suspended is null`
const isPublishedFile = `${isAccepted}
  and exists (select from studio s where s.id = g.studio and s.suspended is null offset 0)`

const build = (
  of: string,
  role: string,
) => `jsonb_build_object('buildId', ${of}.uuid, 'kind', ${of}.kind, 'fileName', ${of}.file_name,
  'size', ${of}.size, 'files', ${of}.files, 'expanded', ${of}.expanded, 'created', ${seconds(`${of}.created`)},
  'graceUntil', case when ${of}.grace_until > now() then ${seconds(`${of}.grace_until`)} else 0 end,
  'keptUntil', case when ${of}.kept_until > now() then ${seconds(`${of}.kept_until`)} else 0 end,
  'number', coalesce(${of}.number, 0), 'version', ${of}.version, 'notes', ${of}.notes, 'sha256', ${of}.sha256,
  'role', ${role})`
const review = (
  build: string,
) => `jsonb_build_object('reviewId', r.uuid, 'buildId', ${build}.uuid, 'message', r.message,
  'submitted', ${seconds('r.submitted')}, 'decided', ${seconds('r.decided')},
  'approved', coalesce(r.approved, false), 'note', r.note, 'withdrawn', r.withdrawn is not null,
  'number', coalesce(${build}.number, 0), 'version', ${build}.version)`
const all = (object: string, order: string, from: string) =>
  `(select coalesce(jsonb_agg(${object} order by ${order}), '[]') from ${from})`
const files = (text: string, place: string, where: string) =>
  all(
    `jsonb_build_object('fileId', f.uuid, 'kind', f.kind, 'fileName', f.file_name, 'contentType', f.content_type,
      'size', f.size, 'text', ${text}, 'storageKey', f.storage_key)`,
    `${place}, f.id`,
    `game_file f where f.game = g.id and ${where}`,
  )
const draftFiles = files('f.text', 'f.place', 'not f.removed')
const publicFiles = files('f.accepted_text', 'f.accepted_place', 'f.accepted_text is not null')
const accepted = `case when g.accepted_name is not null then jsonb_build_object('name', g.accepted_name,
  'summary', g.accepted_summary, 'description', g.accepted_description, 'consent', coalesce(g.accepted_consent, ''), 'facts', g.accepted_facts, 'texts', g.accepted_texts,
  'files', ${publicFiles}) end`
const builds = all(
  build(
    'n',
    `case n.id when g.live_build then 'live' when g.staged_build then 'staged'
    when g.beta_build then 'beta' else 'replaced' end`,
  ),
  'n.kept_until desc nulls first, n.id',
  `build n where n.game = g.id and (n.id in (g.live_build, g.staged_build, g.beta_build)
    or n.removed is null and greatest(n.grace_until, n.kept_until) > now())`,
)
const reviews = all(review('n'), 'r.submitted desc', 'review r join build n on n.id = r.build where r.game = g.id')

const listOwn = sql('games_of_studio')`
  select ${summary} ${fromStudio('id = $1', ofDraft)} where ($2 = '' or g.slug = $2)
    order by g.updated desc, g.id desc limit $3`
const listAll = sql('games_all')`select ${summary} ${fromAny}
    where g.sandbox_of is null and g.deleted is null and ($1 = '' or g.slug = $1)
    order by g.updated desc, g.id desc limit $2`
const viewGame = sql('game_view')`
  select ${summary}, g.studio, g.description, g.consent, g.texts, ${playerOf} as player, g.page, ${isChanged} as changed,
      ${accepted} as accepted, ${seconds('g.beta_linked')} as "betaLinked",
      ${draftFiles} as files, ${builds} as builds, ${reviews} as reviews
    ${fromAny} where g.uuid = $1 and g.sandbox_of is null and g.deleted is null`
/** In a list, of other languages the summaries only. */
const listed = `${publicSummary}, (select coalesce(jsonb_object_agg(key, jsonb_build_object('summary', value -> 'summary')), '{}')
    from jsonb_each(g.accepted_texts)) as texts`
const listPublished = sql('games_published')`
  select ${listed} from game g join studio s on s.id = g.studio ${ofPublic}
    where ${isPublished} order by g.published desc, g.id desc limit $1`
// however many games there are: those that the index finds; builds and covers only of those that are listed
const listFound = sql('games_found')`
  select ${listed} from (select g.* from (select * from game where found @@ $1::tsquery and published is not null
        offset 0) g join studio s on s.id = g.studio where ${isPublished} order by g.published desc, g.id desc limit $2) g
      join studio s on s.id = g.studio ${ofPublic} order by g.published desc, g.id desc`
const findPublished = sql('game_find_published')`
  select g.id ${fromGames('slug = $1')} where ${isPublished}`
const listPublishedOf = sql('games_published_of')`
  select ${listed} ${fromStudio('slug = $1', ofPublic)} where ${isPublished}
    order by g.published desc, g.id desc limit $2`
const viewPublished = sql('game_published')`
  select ${publicSummary}, g.accepted_description as description, coalesce(g.accepted_consent, '') as consent,
      g.accepted_texts as texts, ${consentTexts} as consents,
      ${playerOf} as player, ${publicFiles} as files,
      ${build('b', `'live'`)} as build,
      jsonb_build_object('studioId', s.uuid, 'about', ${publicProfile('about')}, 'website', ${publicProfile('website')},
        'logo', ${publicProfile('logo')}) as "studioProfile"
    ${fromGames('slug = $1')} where ${isPublished}`
const viewBeta = sql('game_beta')`
  select ${publicSummary}, case when n.id is not null then ${build('n', `'beta'`)} end as build
    ${fromGames('beta_link = $1')} left join build n on n.id = g.beta_build where ${isPublished}`
const listReviews = sql('reviews_waiting')`
  select ${summary}, ${build('n', `case n.id when g.live_build then 'live' else 'staged' end`)} as build,
      ${review('n')} as review, g.page
    from (select * from review where decided is null and withdrawn is null order by submitted, uuid limit $1) r
    cross join lateral (select * from game where id = r.game and deleted is null offset 0) g
    join studio s on s.id = g.studio join build n on n.id = r.build ${ofDraft} order by r.submitted, r.uuid`

const locateFile = sql('file_locate')`
  select f.storage_key as "storageKey", f.accepted_text is not null and ${isPublishedFile} as public
    from game_file f join game g on g.id = f.game
    where f.uuid = $1 and g.deleted is null and (g.studio = $2 or f.accepted_text is not null and ${isPublishedFile}
      or g.state in (${inSql(states.filter(isInReview))}) and $4::boolean)
    union all select $3::text, coalesce(bool_or(${publicProfile('logo')} = $3), false)
      from (select * from studio where logo = $3 union select * from studio where accepted_logo = $3) s
      where (${publicProfile('logo')} = $3 or s.id = $2
        or ${isProfileWaiting} and $4::boolean)
      having count(*) > 0`

const findOwn = sql('game_find_own')`
  select uuid as "gameId" from game where studio = $1 and deleted is null and (uuid::text = $2 or slug = $2)`

const tenants = sql('game_tenants')`select g.id as game, s.id as sandbox, s.uuid as "sandboxId",
      ${consentTexts} as consents, g.start::float8 as start
    from game g left join game s on s.sandbox_of = g.id
    where g.uuid = $1 and g.deleted is null and g.sandbox_of is null and ($2::int is null or g.studio = $2)`
const tenant = sql('game_tenant')`select case when $3 then s.id else g.id end as game, g.start::float8 as start
    from game g left join game s on s.sandbox_of = g.id
    where g.uuid = $1 and g.deleted is null and g.sandbox_of is null and ($2::int is null or g.studio = $2)`

/** Most games, or reviews, of a list. */
const most = 1_000

/** Reads games; each question takes one round trip. */
export function gameReader({ run }: Database) {
  return {
    /**
     * Games, the last changed first.
     * @param studio the studio whose games they are; null: every game
     * @param slug the game with this slug; empty: all
     */
    list: (studio: number | null, slug: string): Promise<GameSummary[]> =>
      studio === null ? run<GameSummary>(listAll, [slug, most]) : run<GameSummary>(listOwn, [studio, slug, most]),

    view: (gameId: string) => first(run<GameView>(viewGame, [gameId])),

    /** UUID of a studio's game by its id or slug. */
    findOwn: (studio: number, named: string) => scalar<string | undefined>(run(findOwn, [studio, named])),

    /** Published games that a query of core/games/rules/catalogue.ts finds, the newest first. */
    found: (query: string, limit: number) => run<ListedPublished>(listFound, [query, limit]),

    findPublished: (slug: string) => scalar<number | undefined>(run(findPublished, [slug])),

    /** Published games, the newest first. @param studioSlug of this studio; empty: of all */
    published: (studioSlug: string, limit: number): Promise<ListedPublished[]> =>
      studioSlug === ''
        ? run<ListedPublished>(listPublished, [limit])
        : run<ListedPublished>(listPublishedOf, [studioSlug, limit]),

    viewPublished: (slug: string) => first(run<PublishedGame>(viewPublished, [slug])),

    /** By the hash of the code of its link. Undefined: nobody may play by it. */
    viewBeta: (link: Buffer) => first(run<LinkedBeta>(viewBeta, [link])),

    /** Undefined: there is no such image or document, or neither this studio (null: none) nor a reviewer may see it. */
    locateFile: (fileId: string, studio: number | null, reviewer: boolean) =>
      first(run<LocatedFile>(locateFile, [fileId, studio, fileKey(fileId), reviewer])),

    /**
     * The tenant of a game, or of its sandbox; null: it has no sandbox yet; undefined: there is no such game.
     * @param studio the studio that must own the game; undefined: any
     */
    async tenant(
      game: string,
      studio: number | undefined,
      sandbox: boolean,
    ): Promise<(Pick<GameTenants, 'start'> & { game: number | null }) | undefined> {
      return first(run(tenant, [game, studio ?? null, sandbox]))
    },

    /**
     * The tenants of a game; undefined: there is no such game.
     * @param studio the one that must own it; undefined: any
     */
    tenants: (game: string, studio: number | undefined) => first(run<GameTenants>(tenants, [game, studio ?? null])),

    /** Reviews that wait for a decision, the oldest first. */
    async waiting(): Promise<WaitingReview[]> {
      const rows = await run<GameSummary & { build: BuildView; review: ReviewView; page: number }>(listReviews, [most])
      return rows.map(({ build, review, page, ...game }) => ({ game, build, review, page }))
    },
  }
}

export interface GameTenants {
  readonly game: number
  /** Null: it has no sandbox yet. */
  readonly sandbox: number | null
  readonly sandboxId: string | null
  /** Milliseconds; null: the studio has not set it. */
  readonly start: number | null
  /** What learners agree to before they play, by language; empty: nothing. */
  readonly consents: readonly ConsentText[]
}
