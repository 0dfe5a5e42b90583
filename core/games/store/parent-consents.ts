import type {
  ConsentRule as RuleMessage,
  ParentConsent as ConsentMessage,
} from '../../../gen/lrs/v1/parent_consents_pb.js'
import { schools as limits } from '../../../shared/limits.ts'
import { column, did, done, first, seconds, sql, type Database, type Run } from '../../process/database/database.ts'
import type { Fields } from '../../process/methods/answer.ts'
import { endPlaying, endSeatsOfPupils, mayPlay } from './seats.ts'

export type ConsentRule = Fields<RuleMessage>
export type ParentConsent = Fields<ConsentMessage>

/** What is kept when a parent agrees, or agrees no longer. */
export interface Said {
  readonly agreed: boolean
  /** The name that the parent typed; empty: on paper, or a withdrawal. */
  readonly parent: string
  /** Who noted it from paper; null: it came by the link. */
  readonly account: number | null
}

/** A pupil whose parents have a link. */
export interface OfParent {
  readonly pupil: string
  readonly pupilName: string
  readonly school: number
  readonly schoolName: string
  readonly mayPlay: boolean
}

const who = `coalesce(nullif(a.name, ''), a.email, '')`

const rule = sql('consent_rule_now')`select r.parents, r.text, r.version, ${seconds('r.changed')} as changed,
    ${who} as "changedBy" from consent_rule r left join account a on a.id = r.account
    where r.school = $1 order by r.changed desc limit 1`
const lockSchool = sql('consent_rule_lock')`select from studio where id = $1 for update`
const countRules = sql('consent_rule_count')`
  select 1 as one from consent_rule where school = $1 limit ${limits.consentRules}`
const addRule = sql('consent_rule_add')`with s as (
      update studio set parents_text = case when $2 then $3::int end where id = $1)
    insert into consent_rule (school, parents, version, text, account) values ($1, $2, $3, $4, $5)`
const lacking = sql('parent_consent_lacking')`select p.uuid as id from pupil p join school_class c on c.uuid = p.class
    join studio s on s.id = c.school where c.school = $1 and p.class = $2 and not ${mayPlay}`
const makeLinks = sql('parent_link_make')`
  with n as (select p.uuid, p.name, n.hash from unnest($3::uuid[], $4::bytea[]) n (id, hash)
        join pupil p on p.uuid = n.id join school_class c on c.uuid = p.class where c.school = $1 and p.class = $2),
    old as (delete from parent_link l using n where l.pupil = n.uuid and (l.used is null or l.code_hash in (
      select code_hash from parent_link o where o.pupil = n.uuid and o.used is not null
        order by o.used desc offset ${limits.parentLinks - 1}))),
    new as (insert into parent_link (code_hash, pupil) select hash, uuid from n)
    select uuid as id, name from n order by name, uuid`
const ofLink = sql('parent_link_of')`select p.uuid as pupil, p.name as "pupilName", s.id as school,
    s.name as "schoolName", ${mayPlay} as "mayPlay"
  from parent_link l join pupil p on p.uuid = l.pupil join school_class c on c.uuid = p.class
    join studio s on s.id = c.school where l.code_hash = $1 and s.suspended is null and s.ended is null`
const use = sql('parent_link_use')`update parent_link set used = coalesce(used, now()) where code_hash = $1`
const ofClass = sql('parent_consent_pupil')`select from pupil p join school_class c on c.uuid = p.class
    where c.school = $1 and p.class = $2 and p.uuid = $3`
const textOf = sql('parent_consent_text')`select version from consent_rule where school = $1
    order by changed desc limit 1`
const say = sql('parent_consent_say')`
  with p as (update pupil set agreed = case when $2 then $4::int end where uuid = $1 returning uuid),
    old as (delete from parent_consent where pupil = $1 and at in (
      select at from parent_consent where pupil = $1 order by at desc offset ${limits.consents - 1}))
    insert into parent_consent (pupil, agreed, on_paper, version, parent, account)
      select uuid, $2, $5::int is not null, $4, $3, $5 from p`
// a person in several classes is a pupil in each of them
const ofPerson = sql('parent_consent_person')`select o.pupil from pupil_identity i join pupil_identity o
      on o.school = i.school and o.source = i.source and o.subject = i.subject
    where i.pupil = $1 and o.pupil <> $1 order by 1`
const agreeAs = sql('parent_consent_agree_as')`update pupil p set agreed = n.agreed
    from (select i.pupil, max(q.agreed) as agreed from pupil_identity i
        join pupil_identity o on o.school = i.school and o.source = i.source and o.subject = i.subject
        join pupil q on q.uuid = o.pupil where i.pupil = any ($1::uuid[]) group by i.pupil) n
    where p.uuid = n.pupil and p.agreed is null`
const learners = sql(
  'parent_consent_learners',
)`select distinct learner from pupil_learner where pupil = any ($1::uuid[])`
const said = sql('parent_consent_list')`select c.agreed, ${seconds('c.at')} as at, c.on_paper as "onPaper", c.version,
    c.parent as "parentName", ${who} as "notedBy" from parent_consent c left join account a on a.id = c.account
    where c.pupil = $1 order by c.at desc limit $2`

/** What else is done with each learner of a pupil. */
type Leave = (run: Run, learner: string) => Promise<unknown>

/** Who agrees for the pupils of schools, and what parents said. */
export function parentConsentStore({ run, transaction }: Database) {
  /** The text of now gets agreed to, or the pupil plays no longer. False: the text is another one, or there is none. */
  async function keep(
    run: Run,
    school: number,
    pupil: string,
    { agreed, parent, account }: Said,
    leave: Leave,
    version?: number,
  ) {
    const [now] = await run<{ version: number }>(textOf, [school])
    if (!now || now.version === 0 || (version !== undefined && now.version !== version)) return false
    const pupils = [pupil, ...(await column<string>(run(ofPerson, [pupil])))]
    // seats before the pupil, in the order in which the start of a game locks them
    if (!agreed) await endSeatsOfPupils(run, pupils)
    for (const one of pupils) await run(say, [one, agreed, parent, now.version, account])
    if (!agreed) await endPlaying(run, pupils)
    for (const learner of await column<string>(run(learners, [pupils]))) await leave(run, learner)
    return true
  }

  return {
    /** Undefined: nobody has set it. */
    rule: (school: number) => first(run<ConsentRule>(rule, [school])),

    /** False: the school has changed it too often. @param text empty: as before */
    setRule: (school: number, account: number, parents: boolean, text: string): Promise<boolean> =>
      transaction(async (run) => {
        await run(lockSchool, [school])
        if ((await run(countRules, [school])).length >= limits.consentRules) return false
        const before = await first(run<ConsentRule>(rule, [school]))
        const next = text === '' ? (before?.text ?? '') : text
        const version = (before?.version ?? 0) + (next === (before?.text ?? '') ? 0 : 1)
        await run(addRule, [school, parents, version, next, account])
        return true
      }),

    /** Pupils of the class for whom a parent has to agree, and none has. */
    lacking: (school: number, classId: string) => column<string>(run(lacking, [school, classId])),

    /** New links; returns the pupils that the class has, by name. */
    makeLinks: (school: number, classId: string, links: readonly { readonly id: string; readonly hash: Buffer }[]) =>
      run<{ id: string; name: string }>(makeLinks, [
        school,
        classId,
        links.map(({ id }) => id),
        links.map(({ hash }) => hash),
      ]),

    /** Undefined: there is no such link. */
    ofLink: (codeHash: Buffer) => first(run<OfParent>(ofLink, [codeHash])),

    /** What a parent says by the link. @param version of the text that was read; undefined: whichever */
    sayByLink: (
      codeHash: Buffer,
      what: Said,
      leaveOf: (school: number) => Leave,
      version?: number,
    ): Promise<boolean | undefined> =>
      transaction(async (run) => {
        const [of] = await run<OfParent>(ofLink, [codeHash])
        if (!of) return undefined
        await run(use, [codeHash])
        return keep(run, of.school, of.pupil, what, leaveOf(of.school), version)
      }),

    /** What a parent said on paper. Undefined: the school has no such pupil. */
    note: (school: number, classId: string, pupil: string, what: Said, leave: Leave): Promise<boolean | undefined> =>
      transaction(async (run) => {
        if (!(await did(run(ofClass, [school, classId, pupil])))) return undefined
        return keep(run, school, pupil, what, leave)
      }),

    /** Newest first. Undefined: the school has no such pupil. */
    list: async (school: number, classId: string, pupil: string): Promise<ParentConsent[] | undefined> =>
      (await did(run(ofClass, [school, classId, pupil])))
        ? run<ParentConsent>(said, [pupil, limits.consents])
        : undefined,

    /** What was said last; undefined: nothing. */
    last: (pupil: string) => first(run<ParentConsent>(said, [pupil, 1])),
  }
}

/** Pupils who are in another class already have the consent of there. */
export const agreeElsewhere = (run: Run, pupils: readonly string[]) => done(run(agreeAs, [pupils]))
