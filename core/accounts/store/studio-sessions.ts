import type { SignInSession } from '../../../gen/lrs/v1/sign_in_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import type { MemberRole, OrganisationKind } from '../rules/roles.ts'
import { did, done, sql, type Database, type Run } from '../../process/database/database.ts'
import { unlessReadOnly } from '../../process/database/store-failure.ts'

/** A signed-in account, and the studio that its session works for; null: it belongs to none. */
export interface Person {
  readonly account: number
  /** UUID. */
  readonly accountId: string
  readonly email: string
  /** What members call it; empty: its e-mail address. */
  readonly name: string
  /** Of the times on its pages; empty: that of the browser. */
  readonly zone: string
  /** Of mails to it; empty: none was chosen. */
  readonly language: string
  /** May decide reviews of any studio's games. */
  readonly reviewer: boolean
  readonly admin: boolean
  /** The account has a second factor. */
  readonly hasFactor: boolean
  /** Within the last minutes the person has signed in, or shown the password or a second factor. */
  readonly isFresh: boolean
  /** The e-mail address is verified. */
  readonly verified: boolean
  /** The address is not, and mails are sent: rights as reviewer, admin and member of others' studios wait for it. */
  readonly waits: boolean
  /** Those rights that it has but for that. */
  readonly waiting: readonly ('admin' | 'reviewer')[]
  /** Studios that it may own. */
  readonly mayOwn: number
  /** When it is deleted: seconds since 1970; 0: never. */
  readonly ends: number
  /** The account was made in the last day. */
  readonly isNew: boolean
  /** SHA-256 of the session's token. */
  readonly session: Buffer
  readonly studio: number | null
  /** UUID. */
  readonly studioId: string | null
  readonly role: MemberRole | null
  /** Of the studio: it may be a school. */
  readonly kind: OrganisationKind | null
  /** The session works for no studio because that one is suspended. */
  readonly isSuspended: boolean
}

/** A signed-in member of a studio. */
export interface Developer extends Person {
  readonly studio: number
  readonly studioId: string
  readonly role: MemberRole
  readonly kind: OrganisationKind
}

/** A session in the list of its account. */
export type ListedSession = Fields<SignInSession>

/** A session ends 30 days after its last use, 180 days after its start, or when its account used 100 others since. */
const sessionSeconds = 30 * 24 * 60 * 60
const longest = "interval '180 days'"
const mostSessions = 100
/** Seconds for which a sign-in is fresh enough to change second factors. */
export const freshSeconds = 15 * 60
/** Whether the account `a` of a query has a second factor. */
export const hasFactor = `(exists (select from totp t where t.account = a.id and t.confirmed is not null)
  or exists (select from passkey p where p.account = a.id))`

const bySession = sql('account_by_session')`
  select a.id as account, a.uuid as "accountId", a.email, a.name, a.zone, a.language, a.reviewer, a.admin, a.email_verified is not null as verified, a.may_own as "mayOwn",
      coalesce(extract(epoch from a.ends)::bigint, 0)::float8 as ends,
      a.created > now() - interval '1 day' as "isNew", n.used < now() - interval '1 hour' as old,
      ${hasFactor} as "hasFactor", coalesce(n.proved > now() - interval '${freshSeconds} seconds', false) as "isFresh",
      s.id as studio, s.uuid as "studioId", s.kind, case when s.id is not null then m.role end as role,
      m.studio is not null and s.id is null as "isSuspended"
    from studio_session n join account a on a.id = n.account
      left join member m on m.studio = n.studio and m.account = n.account left join studio s on s.id = m.studio and s.suspended is null
    where n.hash = $1 and n.expires > now() and n.created > now() - ${longest} and a.suspended is null`
const touch = sql('studio_session_touch')`
  update studio_session set used = now(), expires = now() + make_interval(secs => $2) where hash = $1`
// the lock: a concurrent change of the password waits, and then ends this session, too
const startSession = sql('studio_session_start')`with a as (select id, studio from account
      where id = $2 and password_hash is not distinct from $4 and suspended is null for share)
    insert into studio_session (hash, account, device, studio, expires)
    select $1, id, $5, (select m.studio from member m where m.account = a.id
        order by m.studio is not distinct from a.studio desc, m.joined, m.studio limit 1),
      now() + make_interval(secs => $3) from a where $6 or not ${hasFactor}
    returning extract(epoch from expires)::bigint::float8 as expires`
const endOldest = sql('studio_session_end_oldest')`delete from studio_session where hash = any (array(
    select hash from studio_session where account = $1 order by used desc, created desc offset $2))`
const endSession = sql('studio_session_end')`delete from studio_session where hash = $1`
/** Ends the sessions of an account; if `$2` is given, all but that one. */
export const endSessions = sql('studio_sessions_end')`
  delete from studio_session where account = $1 and hash is distinct from $2 returning 1`
const list = sql('studio_sessions_of_account')`
  select left(encode(n.hash, 'hex'), 24) as "sessionId", n.device, n.hash = $2 as own,
      extract(epoch from n.created)::bigint::float8 as created, extract(epoch from n.used)::bigint::float8 as "lastUsed"
    from studio_session n
    where n.account = $1 and n.expires > now() and n.created > now() - ${longest} order by n.used desc, n.hash`
const endListed = sql('studio_session_end_listed')`
  delete from studio_session where account = $1 and left(encode(hash, 'hex'), 24) = $2 returning 1`
const noteOf = sql('studio_session_suspended_note')`
  select s.suspended_note as note from studio_session n join studio s on s.id = n.studio where n.hash = $1`
const switchStudio = sql('studio_session_switch')`with a as (update account set studio = $3 where id = $2)
    update studio_session set studio = $3 where hash = $1`
const sweep = sql('studio_session_sweep')`
  delete from studio_session where expires < now() or created < now() - ${longest}`

/** Sessions of accounts, found by the hash of their token. */
export function studioSessionStore({ run, essential }: Database) {
  return {
    async find(session: Buffer): Promise<Omit<Person, 'waits' | 'waiting'> | undefined> {
      const [row] = await run<Omit<Person, 'session' | 'waits'> & { old: boolean }>(bySession, [session])
      if (!row) return undefined
      const { old, ...person } = row
      if (old) await run(touch, [session, sessionSeconds]).catch(unlessReadOnly)
      return { ...person, session }
    },

    /**
     * Returns when the session ends if unused, in seconds since 1970. Undefined: the password was changed, or the account
     * has a second factor and it was not shown.
     */
    async start(
      account: number,
      passwordHash: string | null,
      hash: Buffer,
      device: string,
      isProved: boolean,
    ): Promise<number | undefined> {
      const [started] = await essential<{ expires: number }>(startSession, [
        hash,
        account,
        sessionSeconds,
        passwordHash,
        device,
        isProved,
      ])
      if (started) await essential(endOldest, [account, mostSessions])
      return started?.expires
    },
    /** The session works for this studio from now on, and so does the next one of the account. */
    switch: (on: Run, { session, account }: Person, studio: number) =>
      done(on(switchStudio, [session, account, studio])),
    end: ({ session }: Person) => done(essential(endSession, [session])),
    /** Returns how many there were. */
    endAll: async (account: number): Promise<number> => (await essential(endSessions, [account, null])).length,
    /** The sessions of an account, the one used last first. */
    listOf: ({ account, session }: Person) => run<ListedSession>(list, [account, session]),
    /** False: the account has no such session (any more). */
    endListed: ({ account }: Person, sessionId: string) => did(essential(endListed, [account, sessionId])),
    /** Returns how many there were. */
    endOthers: async ({ account, session }: Person): Promise<number> =>
      (await essential(endSessions, [account, session])).length,
    /** Why the studio of a session is suspended. */
    suspendedNote: async (session: Buffer): Promise<string> =>
      (await run<{ note: string }>(noteOf, [session]))[0]?.note ?? '',
    /** Deletes sessions that have ended. */
    sweep: () => done(essential(sweep, [])),
  }
}
