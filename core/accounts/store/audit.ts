import { isUuid } from '../../records/xapi/values.ts'
import { done, first, only, scalar, sql, type Database } from '../../process/database/database.ts'
import { along, orderAlong } from '../../process/database/look.ts'

/** What is known of an actor or subject at the time of an entry. */
export interface Named {
  /** `account`, `game`, … */
  readonly kind: string
  readonly id?: string
  readonly name?: string
}

export interface AuditActor extends Named {
  /** UUID of the studio for which an account acts. */
  readonly studio?: string
  /** Name of the personal token, if one was used. */
  readonly token?: string
}

export type AuditDetails = Readonly<Record<string, string | number | boolean | undefined>>

export interface NewAuditEntry {
  readonly action: string
  readonly actor: AuditActor
  readonly subject?: Named
  /** UUID of the studio whose log shows it; default: that of the subject, else that of the actor. */
  readonly studio?: string
  /** `ok`, or the reason of the refusal. */
  readonly outcome: string
  /** IP address. */
  readonly address?: string
  /** X-Request-Id. */
  readonly request?: string
  readonly details: AuditDetails
  readonly count: number
}

export interface AuditEntry extends NewAuditEntry {
  /** UUID of version 7. */
  readonly id: string
  /** Milliseconds since 1970. */
  readonly time: number
}

export interface AuditRange {
  /** UUID of the studio whose log it is; undefined: all logs. */
  readonly studio?: string
  /** Entries with larger ids. */
  readonly after: string
  /** Entries up to this id. */
  readonly until: string
  readonly ascending: boolean
  /** Entries that are looked at. */
  readonly scan: number
  /** Entries that are returned. */
  readonly limit: number
  /** Name of an action, or the part before its dot; empty: all. */
  readonly action: string
  /** Id or name of the actor, empty: all. */
  readonly actor: string
}

export const firstId = '00000000-0000-0000-0000-000000000000'
export const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The first id of a time in milliseconds since 1970. */
export const idAt = (time: number): string => {
  const hex = Math.max(0, Math.trunc(time)).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`
}

const insert = sql('audit_insert')`
  insert into audit_entry (action, actor, actor_id, actor_name, actor_studio, token, studio, subject, subject_id,
      subject_name, outcome, address, request, details, count)
    select * from jsonb_to_recordset($1::jsonb) as e(action text, actor text, actor_id text, actor_name text,
      actor_studio uuid, token text, studio uuid, subject text, subject_id text, subject_name text, outcome text,
      address text, request text, details jsonb, count int)`

/** One index is looked along; the filters apply to what is found there (docs/adr/0018). */
const page = (ofStudio: boolean, ascending: boolean) => {
  const range = { after: '$1::uuid', until: '$2::uuid', ascending }
  const columns: Record<string, string> = ofStudio ? { studio: '$7::uuid' } : {}
  const order = orderAlong('e', columns, 'id', range)
  return sql(`audit_page${ofStudio ? '_of_studio' : ''}${ascending ? '_up' : ''}`)`with seen as materialized (
        select e.* from audit_entry e where ${ofStudio ? 'e.studio is not null and ' : ''}${along('e', columns, 'id', range)}
        ${order} limit $3)
      select s.scanned, s.last, m.id, extract(epoch from audit_time(m.id))::float8 * 1000 as time, m.action, m.actor,
        m.actor_id, m.actor_name, m.actor_studio, m.token, m.studio, m.subject, m.subject_id, m.subject_name, m.outcome,
        m.address, m.request, m.details, m.count
      from (select count(*)::int as scanned,
        (select e.id from seen e order by e.id ${ascending ? 'desc' : ''} limit 1) as last
        from seen) s
      left join lateral (select * from seen e
        where ($5 = '' or e.action = $5 or starts_with(e.action, $5 || '.'))
          and ($6 = '' or e.actor_id = $6 or lower(e.actor_name) = lower($6))
        ${order} limit $4) m on true`
}
const pages = { all: page(false, false), allUp: page(false, true), own: page(true, false), ownUp: page(true, true) }

const sweep = sql('audit_sweep')`select sweep_audit($1, $2) as gone`

/** Compares entries with their hashes, in the order of the chain, from the one after $1 on. */
const check = sql('audit_check')`with chain as (select * from audit_chain),
    before as (
      select e.position, e.hash from audit_entry e where e.position = $1
      union all select c.expired_position, c.expired_hash from chain c where $1 = 0),
    part as (
      select e as entry, e.id, e.position, e.hash,
        coalesce(lag(e.position) over w, (select b.position from before b)) as place_before,
        coalesce(lag(e.hash) over w, (select b.hash from before b)) as hash_before
      from audit_entry e where e.position > $1 window w as (order by e.position) order by e.position limit $2),
    wrong as (
      select p.position, p.id, p.position is distinct from p.place_before + 1 as is_gap from part p
      where p.position is distinct from p.place_before + 1 or p.hash is distinct from audit_hash(p.hash_before, p.entry)
      order by p.position limit 1)
    select (select count(*)::int from part) as checked, (select min(position)::float8 from part) as first,
      coalesce((select max(position) from part), (select position from before))::float8 as last,
      coalesce((select encode(p.hash, 'hex') from part p order by p.position desc limit 1),
        (select encode(b.hash, 'hex') from before b)) as hash,
      (select w.position::float8 from wrong w) as wrong, (select w.id from wrong w) as wrong_id,
      (select w.is_gap from wrong w) as is_gap,
      (select id from audit_entry where position is null limit 1) as unlinked,
      c.position::float8 as head, encode(c.hash, 'hex') as head_hash, c.expired_position::float8 as expired
    from chain c`
const head = sql('audit_head')`select position::float8, encode(hash, 'hex') as hash from audit_chain`
const hashAt = sql('audit_hash_at')`select encode(hash, 'hex') as hash from audit_entry where position = $1`

/** An end of the chain of entries. */
export interface ChainEnd {
  readonly position: number
  /** Hexadecimal. */
  readonly hash: string
}

/** What a look at a part of the chain found. Positions are those of entries; null: there is none. */
export interface CheckedPart {
  readonly checked: number
  readonly first: number | null
  readonly last: number
  /** Of the entry at `last`. */
  readonly hash: string
  readonly wrong: number | null
  readonly wrong_id: string | null
  /** Entries before `wrong` are missing; otherwise it was changed. */
  readonly is_gap: boolean | null
  /** An entry without a place in the chain. */
  readonly unlinked: string | null
  readonly head: number
  readonly head_hash: string
  /** Entries up to this one were deleted because of their age. */
  readonly expired: number
}

const game = sql('audit_game')`
  select g.uuid as id, g.name, s.uuid as studio from game g left join studio s on s.id = g.studio where g.uuid = $1`
const account = (column: 'email' | 'uuid') => sql(`audit_account_by_${column}`)`
  select a.uuid as id, a.email as name, s.uuid as studio
    from account a left join lateral (select m.studio from member m where m.account = a.id
        order by m.studio is distinct from a.studio, m.joined, m.studio limit 1) m on true
      left join studio s on s.id = m.studio
    where a.${column} = $1`
const accounts = { email: account('email'), uuid: account('uuid') }

/** What there is to say of a subject. */
interface Known {
  readonly id: string
  readonly name: string
  /** UUID; null: it belongs to none. */
  readonly studio: string | null
}

interface Row {
  readonly [column: string]: unknown
  readonly scanned: number
  readonly last: string | null
  readonly id: string | null
}

/** The audit log: rows are added and read, never changed. */
export function auditStore({ run, essential }: Pick<Database, 'run' | 'essential'>) {
  return {
    add: (entries: readonly NewAuditEntry[]) => done(essential(insert, [JSON.stringify(entries.map(rowOf))])),

    /** Entries of a range; `last`: the id up to which was looked, undefined at the end of the range. */
    async page(asked: AuditRange): Promise<{ entries: AuditEntry[]; last: string | undefined }> {
      const { studio, after, until, ascending, scan, limit, action, actor } = asked
      const query = studio === undefined ? (ascending ? pages.allUp : pages.all) : ascending ? pages.ownUp : pages.own
      const values = [after, until, scan, limit, action, actor, ...(studio === undefined ? [] : [studio])]
      const rows = await run<Row>(query, values)
      const entries = rows.flatMap((row) => (row.id === null ? [] : entryOf(row)))
      const { scanned, last } = rows[0]!
      if (entries.length === limit) return { entries, last: entries.at(-1)!.id }
      return { entries, last: scanned === scan ? last! : undefined }
    },

    /** Checks at most `most` entries after a position; 0: from the oldest one that is kept. */
    check: (after: number, most: number) => only(run<CheckedPart>(check, [after, most])),
    /** The newest entry's place in the chain and hash. */
    head: () => only(run<ChainEnd>(head, [])),
    /** The hash of the entry at a position. */
    hashAt: (position: number) => scalar<string | undefined>(run(hashAt, [position])),

    /** A game, a deleted one too. */
    game: (gameId: string) => first(run<Known>(game, [gameId])),
    /** An account, by its id or its e-mail address, with the studio for which it works. */
    account: (id: string) => first(run<Known>(isUuid(id) ? accounts.uuid : accounts.email, [id])),

    /** Blanks old addresses, deletes entries older than `days`: at most `most` of each. Returns how many. */
    sweep: (days: number, most: number) => scalar<number>(essential(sweep, [days, most])),
  }
}

const rowOf = ({ actor, subject, ...entry }: NewAuditEntry) => ({
  ...entry,
  actor: actor.kind,
  actor_id: actor.id,
  actor_name: actor.name,
  actor_studio: actor.studio,
  token: actor.token,
  subject: subject?.kind,
  subject_id: subject?.id,
  subject_name: subject?.name,
})

function entryOf(row: Row): AuditEntry {
  const given = (name: string): string | undefined => (row[name] as string | null) ?? undefined
  const kind = given('subject')
  return {
    id: row.id!,
    time: Math.round(row['time'] as number),
    action: row['action'] as string,
    actor: {
      kind: row['actor'] as string,
      id: given('actor_id'),
      name: given('actor_name'),
      studio: given('actor_studio'),
      token: given('token'),
    },
    subject: kind === undefined ? undefined : { kind, id: given('subject_id'), name: given('subject_name') },
    studio: given('studio'),
    outcome: row['outcome'] as string,
    address: given('address'),
    request: given('request'),
    details: row['details'] as AuditDetails,
    count: row['count'] as number,
  }
}
