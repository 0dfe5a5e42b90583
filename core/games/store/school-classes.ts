import type { Pupil as PupilMessage, SchoolClass as Message } from '../../../gen/lrs/v1/schools_pb.js'
import { rosters, schools as limits } from '../../../shared/limits.ts'
import { did, first, only, sql, type Database, type Run } from '../../process/database/database.ts'
import type { Fields } from '../../process/methods/answer.ts'
import { endSessions } from '../../records/store/cell/ended-sessions.ts'
import { runningSessionsOf } from './launches.ts'
import { mayPlay } from './seats.ts'

export type SchoolClass = Fields<Message>
export type Pupil = Fields<PupilMessage>

export interface NewPupil {
  readonly name: string
  /** What games and studios see in place of the name. */
  readonly alias: string
}

const select = `select c.uuid as "classId", c.name, floor(extract(epoch from c.created))::float8 as created,
    (select count(*)::int from pupil p where p.class = c.uuid) as pupils,
    coalesce((select floor(extract(epoch from max(l.opened)))::float8 from lesson l where l.class = c.uuid), 0)
      as "lastLesson"
  from school_class c where c.school = $1`
const list = sql('school_class_list')`${select} order by c.created desc, c.uuid limit ${limits.classes}`
const one = sql('school_class_one')`${select} and c.uuid = $2`
const pupils = sql(
  'school_class_pupils',
)`select p.uuid as "pupilId", p.name, p.alias, p.picture is not null as "hasPicture",
    p.card_hash is not null as "hasCard", not ${mayPlay} as "lacksConsent"
  from pupil p join school_class c on c.uuid = p.class join studio s on s.id = c.school
  where p.class = $1 order by p.created, p.uuid limit ${limits.ofClass}`
export const lockSchool = sql('school_lock')`select from studio where id = $1 for update`
const countClasses = sql('school_class_count')`select count(*)::int as classes from school_class where school = $1`
const add = sql('school_class_add')`insert into school_class (school, name) values ($1, $2) returning uuid as id`
const lock = sql('school_class_lock')`select from school_class where school = $1 and uuid = $2 for update`
const addPupils = sql('school_class_add_pupils')`
  insert into pupil (class, name, alias) select $1, * from unnest($2::text[], $3::text[])`
const change = sql('pupil_change')`update pupil set name = $3, picture = case when $4 then null else picture end
    where class = $1 and uuid = $2`
const renew = sql('pupil_renew_cards')`update pupil p set card_hash = n.hash
    from unnest($2::uuid[], $3::bytea[]) n (id, hash) where p.class = $1 and p.uuid = n.id
    returning p.uuid as id, p.name`
// `shared`: the same person has the account in another class, too
const learnersOf = sql('pupil_learners')`select l.learner, exists (select from pupil_learner o
      where o.learner = l.learner and o.pupil <> l.pupil) as shared from pupil_learner l where l.pupil = any ($1)`
// core may forget them when it keeps nothing but the alias, as it does learners whose invitation has ended
const release = sql('pupil_release')`with unlinked as (delete from device where learner = any ($1))
    update learner set kind = 'player', look_after = now() where uuid = any ($1)`
// who starts a session meanwhile waits, and then finds no seat
const lockPupils = sql('pupil_lock')`select uuid as id from pupil
    where class = $1 and ($2::uuid is null or uuid = $2) order by uuid for update`
const lockGone = sql('pupil_lock_gone')`select uuid as id from pupil
    where gone < now() - interval '${rosters.goneDays} days' order by gone limit $1 for update`
const removeGone = sql('pupil_remove_gone')`delete from pupil where uuid = any ($1)`
const ofEnded = sql('school_class_of_ended')`select c.uuid as id from school_class c join studio s on s.id = c.school
    where s.ended is not null order by c.uuid limit $1 for update of c`
const handed = sql('school_class_handed')`select uuid as id, game, name from class
    where handed_hash = $1 and handed_until > now() and ended is null for update`
const handedLearners = sql('school_class_handed_learners')`select l.uuid as id, l.name
    from invitation i join learner l on l.uuid = i.learner where i.class = $1 and i.revoked is null order by i.created`
const takePupils = sql('school_class_take_pupils')`
  with n as (select * from unnest($3::uuid[], $4::text[], $5::text[], $6::text[]) n (learner, name, alias, shown)),
    p as (insert into pupil (class, name, alias) select $1, name, alias from n returning uuid, alias),
    l as (update learner l set name = n.shown, worded = false from n where l.uuid = n.learner)
    insert into pupil_learner (pupil, game, learner) select p.uuid, $2, n.learner from n join p on p.alias = n.alias`
const dropInvitations = sql('school_class_drop_invitations')`
  delete from invitation where class = $1 returning learner as id`
const dropHanded = sql('school_class_drop_handed')`delete from class where uuid = $1`
const unlink = sql('school_class_unlink')`delete from device where learner = any ($1)`
const remove = sql('pupil_remove')`delete from pupil where class = $1 and uuid = $2 returning 1`
const removeClass = sql('school_class_remove')`delete from school_class where uuid = $1`

/** What else is done with each learner of a pupil who is removed. */
type Leave = (run: Run, learner: string) => Promise<unknown>

/** Ends the sessions of locked pupils, before their links to learners go with them. */
async function part(run: Run, pupils: readonly { readonly id: string }[], leave?: Leave): Promise<void> {
  const learners = await run<{ learner: string; shared: boolean }>(learnersOf, [pupils.map(({ id }) => id)])
  for (const { learner } of learners) {
    await endSessions(run, await runningSessionsOf(run, learner))
    await leave?.(run, learner)
  }
  await run(release, [learners.filter(({ shared }) => !shared).map(({ learner }) => learner)])
}

/** Classes of schools with their pupils. @param school of each call: a class of another one is not found */
export function schoolClassStore({ run, transaction }: Database) {
  /** Runs with the class locked; undefined: the school has no such class. */
  const locked = <Result>(school: number, classId: string, work: (run: Run) => Promise<Result>) =>
    transaction(async (run) => ((await did(run(lock, [school, classId]))) ? work(run) : undefined))

  /** The school is locked from now on. */
  async function isFull(on: Run, school: number): Promise<boolean> {
    await on(lockSchool, [school])
    return (await only(on<{ classes: number }>(countClasses, [school]))).classes >= limits.classes
  }

  async function extend(on: Run, classId: string, wanted: PupilsOf): Promise<'full' | 'done'> {
    const there = await on<Pupil>(pupils, [classId])
    const added = wanted(there)
    if (there.length + added.length > limits.ofClass) return 'full'
    await on(addPupils, [classId, added.map(({ name }) => name), added.map(({ alias }) => alias)])
    return 'done'
  }

  return {
    /** Newest first. */
    list: (school: number) => run<SchoolClass>(list, [school]),

    /** Undefined: the school has no such class. */
    get: (school: number, classId: string) => first(run<SchoolClass>(one, [school, classId])),

    pupils: (classId: string) => run<Pupil>(pupils, [classId]),

    /** Adds a class; returns its id, or what is full. */
    add: (school: number, name: string, wanted: PupilsOf): Promise<{ classId: string } | 'full' | 'classes-full'> =>
      transaction(async (run) => {
        if (await isFull(run, school)) return 'classes-full'
        const { id } = await only(run<{ id: string }>(add, [school, name]))
        if ((await extend(run, id, wanted)) === 'done') return { classId: id }
        await run(removeClass, [id])
        return 'full'
      }),

    /** Adds pupils. Undefined: the school has no such class. */
    extend: (school: number, classId: string, wanted: PupilsOf) =>
      locked(school, classId, (run) => extend(run, classId, wanted)),

    /** Changes a pupil. Undefined: the school has no such class. @param changed returns the new name, given the others' */
    change: (
      school: number,
      classId: string,
      pupilId: string,
      { forgetPicture, changed }: { forgetPicture: boolean; changed: (pupil: Pupil, all: readonly Pupil[]) => string },
    ): Promise<boolean | undefined> =>
      locked(school, classId, async (run) => {
        const all = await run<Pupil>(pupils, [classId])
        const pupil = all.find((one) => one.pupilId === pupilId)
        if (pupil) await run(change, [classId, pupilId, changed(pupil, all), forgetPicture])
        return pupil !== undefined
      }),

    /** New codes of cards; returns the names of those that the class has. */
    renewCards: (school: number, classId: string, cards: readonly { readonly id: string; readonly hash: Buffer }[]) =>
      locked(school, classId, (run) =>
        run<{ id: string; name: string }>(renew, [classId, cards.map(({ id }) => id), cards.map(({ hash }) => hash)]),
      ),

    /** Removes a pupil. Undefined: the school has no such class; false: no such pupil. */
    removePupil: (school: number, classId: string, pupilId: string, leave: Leave): Promise<boolean | undefined> =>
      locked(school, classId, async (run) => {
        await part(run, await run(lockPupils, [classId, pupilId]), leave)
        return did(run(remove, [classId, pupilId]))
      }),

    /**
     * Takes a class over from a studio, whose links and sessions end; undefined: there is none with this code.
     * @param wanted returns the pupils, given those whose names they have
     * @param names what the studio sees in place of the names
     */
    takeOver: (
      school: number,
      codeHash: Buffer,
      wanted: (names: readonly string[]) => readonly NewPupil[],
      names: (count: number) => readonly string[],
    ): Promise<{ classId: string } | 'classes-full' | undefined> =>
      transaction(async (run) => {
        const [of] = await run<{ id: string; game: number; name: string }>(handed, [codeHash])
        if (!of) return undefined
        if (await isFull(run, school)) return 'classes-full'
        const learners = await run<{ id: string; name: string }>(handedLearners, [of.id])
        const all = (await run<{ id: string }>(dropInvitations, [of.id])).map(({ id }) => id)
        const { id } = await only(run<{ id: string }>(add, [school, of.name]))
        const added = wanted(learners.map(({ name }) => name))
        for (const learner of all) await endSessions(run, await runningSessionsOf(run, learner))
        await run(unlink, [all])
        const pupils = new Set(learners.map(({ id }) => id))
        await run(release, [all.filter((learner) => !pupils.has(learner))])
        await run(takePupils, [
          id,
          of.game,
          learners.map(({ id }) => id),
          added.map(({ name }) => name),
          added.map(({ alias }) => alias),
          names(learners.length),
        ])
        await run(dropHanded, [of.id])
        return { classId: id }
      }),

    /** Removes a class with its pupils and lessons; undefined: the school has no such class. */
    remove: (school: number, classId: string, leave: Leave): Promise<true | undefined> =>
      locked(school, classId, async (run) => {
        await part(run, await run(lockPupils, [classId, null]), leave)
        await run(removeClass, [classId])
        return true as const
      }),

    /** Removes at most `limit` classes of schools that have ended; returns how many. */
    sweep: (limit: number): Promise<number> =>
      transaction(async (run) => {
        const ids = await run<{ id: string }>(ofEnded, [limit])
        for (const { id } of ids) {
          await part(run, await run(lockPupils, [id, null]))
          await run(removeClass, [id])
        }
        return ids.length
      }),

    /** Deletes at most `limit` pupils who have been in no class for too long; returns how many. */
    sweepGone: (limit: number): Promise<number> =>
      transaction(async (run) => {
        const pupils = await run<{ id: string }>(lockGone, [limit])
        await part(run, pupils)
        await run(removeGone, [pupils.map(({ id }) => id)])
        return pupils.length
      }),
  }
}

/** The pupils to add to those that the class has. */
type PupilsOf = (there: readonly Pupil[]) => readonly NewPupil[]
