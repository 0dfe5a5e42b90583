import { lti as limits, schools } from '../../../shared/limits.ts'
import { playedGame } from '../../games/store/learner-choice.ts'
import type { NewLaunchSession } from '../../games/store/launches.ts'
import { agreeElsewhere } from '../../games/store/parent-consents.ts'
import { movePupils } from '../../games/store/rosters.ts'
import { playAs } from '../../games/store/seats.ts'
import { did, done, first, only, sql, type Database, type Run } from '../../process/database/database.ts'
import { scopes } from '../rules/lti-grade.ts'
import type { Message, Picking } from '../rules/lti-message.ts'
import type { Platform } from './lti-platforms.ts'

/** A login between its start and the launch. */
export interface Login {
  readonly platform: string
  readonly nonceHash: Buffer
  readonly asked: Readonly<Record<string, string>>
}

/** An accepted launch. */
export interface Launch {
  readonly launchId: string
  readonly platform: string
  readonly link: string | null
  readonly pupil: string | null
  readonly picking: Picking | null
  /** Of the link; empty: the game of the open lesson. */
  readonly game: string
  readonly class: string | null
  readonly attempts: number
}

interface NewPupil {
  readonly name: string
  readonly alias: string
}
/** Makes a new pupil, given those of the class. */
type NewPupilOf = (there: readonly NewPupil[]) => NewPupil

const addLogin = sql('lti_login_add')`insert into lti_login (state_hash, platform, nonce_hash, asked, crowd, until)
    select $1, $2, $3, $4::jsonb, $5, now() + interval '${limits.loginMinutes} minutes'
    where (select count(*) from (select 1 from lti_login where crowd = $5 limit ${limits.loginsOfNetwork}) of)
        < ${limits.loginsOfNetwork}
      and (select count(*) from (select 1 from lti_login where platform = $2 limit ${limits.loginsOfNetwork}) of)
        < ${limits.loginsOfNetwork}
      and (select count(*) from (select 1 from lti_login limit ${limits.logins}) of) < ${limits.logins}
    returning 1`
const login = 'platform, nonce_hash as "nonceHash", asked'
const getLogin = sql('lti_login_get')`select ${login} from lti_login where state_hash = $1 and until > now()`
const takeLogin = sql('lti_login_take')`
  delete from lti_login where state_hash = $1 and until > now() returning ${login}`
const sweepLogins = sql('lti_login_sweep')`delete from lti_login where until < now()`
const sweepCodes = sql('lti_registration_sweep')`delete from lti_registration where until < now()`

const lockSchool = sql('lti_launch_lock_school')`select from studio where id = $1 for update`
const context = sql('lti_context_find')`select uuid as id, class from lti_context
    where platform = $1 and deployment = $2 and context = $3`
const countClasses = sql('lti_class_count')`select count(*)::int as there from school_class where school = $1`
const addClass = sql('lti_class_add')`insert into school_class (school, name) values ($1, $2) returning uuid as id`
const addContext = sql('lti_context_add')`insert into lti_context (platform, deployment, context, class, members_url)
    values ($1, $2, $3, $4, $5) returning uuid as id, class`
const noteMembers = sql('lti_context_note')`
  update lti_context set members_url = $2 where uuid = $1 and members_url <> $2`
const hasRoom = sql('lti_link_room')`select from (select count(*) as there from (
      select 1 from lti_link where context = $1 limit ${limits.links}) l) n
    where n.there < ${limits.links} or exists (select from lti_link where context = $1 and link = $2)`
const noteLink = sql('lti_link_note')`insert into lti_link
      (context, link, title, game, level, attempts, grading, line_item, line_items, scopes)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    on conflict (context, link) do update set title = excluded.title, game = excluded.game, level = excluded.level,
      attempts = excluded.attempts, grading = excluded.grading, line_item = excluded.line_item,
      line_items = excluded.line_items, scopes = excluded.scopes, launched = now()
    returning uuid as id`
// the one in the class, else one that has left its class
const known = sql('lti_pupil_known')`select p.uuid as id, p.class from pupil_identity i join pupil p on p.uuid = i.pupil
    where i.school = $1 and i.source = $2 and i.subject = $3 and (p.class = $4 or p.class is null)
    order by p.class, p.uuid limit 1`
const pupils = sql('lti_pupil_list')`select name, alias from pupil where class = $1 limit ${schools.ofClass}`
const addPupil = sql('lti_pupil_add')`insert into pupil (class, name, alias) values ($1, $2, $3) returning uuid as id`
const addIdentity = sql('lti_pupil_identity')`
  insert into pupil_identity (school, source, subject, pupil) values ($1, $2, $3, $4)`
const addLaunch = sql('lti_launch_add')`insert into lti_launch (token_hash, platform, link, pupil, picking, until)
    values ($1, $2, $3, $4, $5::json, now() + interval '${limits.launchHours} hours') returning uuid as id`
const started = sql('lti_attempt_count')`
  select count(*)::int as there from lti_attempt where link = $1 and pupil = $2`
const view = `select l.uuid as "launchId", l.platform, l.link, l.pupil, l.picking, coalesce(k.game, '') as game, c.class,
    coalesce(k.attempts, 0) as attempts
  from lti_launch l join lti_platform p on p.uuid = l.platform join studio s on s.id = p.school
    left join lti_link k on k.uuid = l.link left join lti_context c on c.uuid = k.context
  where l.until > now() and s.suspended is null and s.ended is null and`
const byToken = sql('lti_launch_by_token')`${view} l.token_hash = $1`
const frame = sql('lti_launch_frame')`select p.origins, coalesce(k.game, '') as game, c.class from lti_launch l
    join lti_platform p on p.uuid = l.platform left join lti_link k on k.uuid = l.link
    left join lti_context c on c.uuid = k.context where l.uuid = $1`
const openGame = sql('lti_open_lesson')`select coalesce(g.slug, '') as slug from lesson l join game g on g.id = l.game
    where l.class = $1 and l.ended is null and l.closes > now() order by l.opened desc limit 1`
const lockPupil = sql('lti_attempt_lock')`select class from pupil where uuid = $1 for update`
const addAttempt = sql('lti_attempt_add')`
  insert into lti_attempt (registration, link, pupil, learner) values ($1, $2, $3, $4)`
// where the platform takes scores
const addGrade = sql('lti_grade_add')`
  insert into lti_grade as g (link, pupil, learner, next_attempt)
    select uuid, $2, $3, now() + interval '${limits.gradeSeconds} seconds' from lti_link
      where uuid = $1 and '${scopes.score}' = any (scopes)
    on conflict (link, pupil) do update set learner = excluded.learner, news = now(),
      next_attempt = least(g.next_attempt, excluded.next_attempt)`
const gameId = sql('lti_game')`select id, uuid as "gameId" from game where slug = $1 and published is not null`
// a day later, so that pages of a session that runs can still be asked for
const sweepLaunches = sql('lti_launch_sweep')`delete from lti_launch where uuid = any (array(select uuid from lti_launch
    where until < now() - interval '1 day' order by until limit $1)) returning 1`

const gameNow = async (run: Run, game: string, of: string | null): Promise<string> =>
  game !== '' || of === null ? game : ((await first(run<{ slug: string }>(openGame, [of])))?.slug ?? '')

/** Logins and launches from learning platforms. */
export const ltiLaunchStore = ({ run, transaction }: Database) => ({
  /** False: too many are under way. */
  begin: (stateHash: Buffer, { platform, nonceHash, asked }: Login, crowd: string) =>
    did(run(addLogin, [stateHash, platform, nonceHash, JSON.stringify(asked), crowd])),
  get: (stateHash: Buffer) => first(run<Login>(getLogin, [stateHash])),
  /** Ends a login: its state counts once. */
  take: (stateHash: Buffer) => first(run<Login>(takeLogin, [stateHash])),

  /** Keeps course, link and pupil of a launch. */
  accept: (
    { platformId, school, issuer, name }: Platform,
    message: Message,
    tokenHash: Buffer,
    newPupil: NewPupilOf,
  ): Promise<{ launchId: string; class: string; game: string; used: number } | 'full'> =>
    transaction(async (run) => {
      await run(lockSchool, [school])
      const { deployment, subject, link } = message
      let at = await first(run<{ id: string; class: string }>(context, [platformId, deployment, message.context]))
      if (!at) {
        if ((await only(run<{ there: number }>(countClasses, [school]))).there >= schools.classes) return 'full'
        const { id } = await only(run<{ id: string }>(addClass, [school, message.contextTitle || name]))
        const values = [platformId, deployment, message.context, id, message.membersUrl]
        at = await only(run<{ id: string; class: string }>(addContext, values))
      } else if (message.membersUrl !== '') await run(noteMembers, [at.id, message.membersUrl])
      let pupil: string | null = null
      if (message.role === 'learner' && subject !== '' && !message.picking) {
        const found = await first(run<{ id: string; class: string | null }>(known, [school, issuer, subject, at.class]))
        if (found?.class) pupil = found.id
        else {
          const there = await run<NewPupil>(pupils, [at.class])
          if (there.length >= schools.ofClass) return 'full'
          const added = newPupil(there)
          if (found) {
            pupil = found.id
            await run(movePupils, [[pupil], [at.class], [added.name], [added.alias]])
          } else {
            pupil = (await only(run<{ id: string }>(addPupil, [at.class, added.name, added.alias]))).id
            await run(addIdentity, [school, issuer, subject, pupil])
            await agreeElsewhere(run, [pupil])
          }
        }
      }
      if (!message.picking && !(await did(run(hasRoom, [at.id, link])))) return 'full'
      const { title, game, level, attempts, grading, lineItem, lineItems, scopes } = message
      const values = [at.id, link, title, game, level, attempts, grading, lineItem, lineItems, [...scopes]]
      const linked = message.picking ? null : (await only(run<{ id: string }>(noteLink, values))).id
      const picking = message.picking ? JSON.stringify(message.picking) : null
      const { id } = await only(run<{ id: string }>(addLaunch, [tokenHash, platformId, linked, pupil, picking]))
      const used = pupil === null ? 0 : (await only(run<{ there: number }>(started, [linked, pupil]))).there
      return { launchId: id, class: at.class, game: await gameNow(run, game, at.class), used }
    }),

  byToken: (tokenHash: Buffer) => first(run<Launch>(byToken, [tokenHash])),

  /** The pages that may show a launch, and its game. */
  async frame(id: string): Promise<{ origins: string[]; game: string } | undefined> {
    const found = await first(run<{ origins: string[]; game: string; class: string | null }>(frame, [id]))
    return found && { ...found, game: await gameNow(run, found.game, found.class) }
  },

  /** Starts a session, which is an attempt. @param newName of a learner, given those of the class */
  play: (
    tokenHash: Buffer,
    session: NewLaunchSession,
    newName: (taken: readonly string[]) => string,
  ): Promise<{ gameSlug: string } | 'no-launch' | 'no-game' | 'no-consent' | 'used-up'> =>
    transaction(async (run) => {
      const launch = await first(run<Launch>(byToken, [tokenHash]))
      if (!launch?.pupil || !launch.link) return 'no-launch'
      const { pupil, link } = launch
      const of = await first(run<{ class: string | null }>(lockPupil, [pupil]))
      if (!of?.class) return 'no-launch'
      const { there } = await only(run<{ there: number }>(started, [link, pupil]))
      if (launch.attempts > 0 && there >= launch.attempts) return 'used-up'
      const gameSlug = await gameNow(run, launch.game, launch.class)
      const game = gameSlug === '' ? undefined : await playedGame(run, gameSlug)
      if (!game) return 'no-game'
      const learner = await playAs(run, { pupil, class: of.class }, game, session, newName)
      if (learner === undefined) return 'no-consent'
      await run(addAttempt, [session.registration, link, pupil, learner])
      await run(addGrade, [link, pupil, learner])
      return { gameSlug }
    }),

  /** A published game. */
  game: (slug: string) => first(run<{ id: number; gameId: string }>(gameId, [slug])),

  sweep: async (limit: number): Promise<number> => {
    await done(run(sweepLogins, []))
    await done(run(sweepCodes, []))
    return (await run(sweepLaunches, [limit])).length
  },
})
