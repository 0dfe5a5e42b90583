import { rosters as limits } from '../../../shared/limits.ts'
import { first, only, sql, type Database, type Prepared, type Run } from '../../process/database/database.ts'
import type { RosterChanges, RosterPupil, RosterState } from '../rules/roster-changes.ts'
import { agreeElsewhere } from './parent-consents.ts'
import { lockSchool } from './school-classes.ts'
import { endSeatsOfPupils } from './seats.ts'

const keep = sql('roster_keep')`insert into roster (school, content) values ($1, $2)
    on conflict (school) do update set uuid = gen_random_uuid(), content = excluded.content, sent = now()
    returning uuid as id`
const one = sql('roster_one')`select content from roster where school = $1 and uuid = $2`
const remove = sql('roster_remove')`delete from roster where school = $1`
const sweep = sql('roster_sweep')`delete from roster where school = any (array(select school from roster
    where sent < now() - interval '${limits.waitHours} hours' order by sent limit $1)) returning 1`
const lockClasses = sql('roster_lock_classes')`select from school_class where school = $1 order by uuid for update`
const classes = sql(
  'roster_classes',
)`select uuid as id, name from school_class where school = $1 order by created, uuid`
const subjectsOfClasses = sql('roster_class_subjects')`
  select class as id, subject from class_identity where school = $1 and source = $2`
const pupils = sql('roster_pupils')`select p.* from school_class c cross join lateral (
      select uuid as id, class, name, alias from pupil where class = c.uuid order by created, uuid offset 0) p
    where c.school = $1`
const subjectsOfPupils = sql('roster_pupil_subjects')`
  select pupil as id, subject from pupil_identity where school = $1 and source = $2`
const gone = sql('roster_gone')`select uuid as id, class, name, alias from pupil where uuid = any ($1)`
const addClasses = sql('roster_add_classes')`with c as (insert into school_class (uuid, school, name, created)
      select n.id, $1, n.name, now() - n.at * interval '1 microsecond'
        from unnest($3::uuid[], $4::text[]) with ordinality n (id, name, at))
    insert into class_identity (school, source, class, subject)
      select $1, $2, n.id, n.subject from unnest($3::uuid[], $5::text[]) n (id, subject)`
const renameClasses = sql('roster_rename_classes')`update school_class c set name = n.name
    from unnest($1::uuid[], $2::text[]) n (id, name) where c.uuid = n.id`
const leave = sql('roster_leave')`update pupil set class = null, gone = now() where uuid = any ($1)`
const rename = sql('roster_rename')`update pupil p set name = n.name
    from unnest($1::uuid[], $2::text[]) n (id, name) where p.uuid = n.id`
export const movePupils = sql(
  'roster_move',
)`update pupil p set class = n.class, gone = null, name = n.name, alias = n.alias
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) n (id, class, name, alias) where p.uuid = n.id`
const join = sql('roster_join')`with p as (insert into pupil (uuid, class, name, alias)
      select * from unnest($3::uuid[], $4::uuid[], $5::text[], $6::text[]))
    insert into pupil_identity (school, source, pupil, subject)
      select $1, $2, n.id, n.subject from unnest($3::uuid[], $7::text[]) n (id, subject)`

/** Ids in these tables are those of this system. */
const source = 'oneroster'

export interface KeptPupil extends RosterPupil {
  readonly alias: string
}

export interface KeptState extends RosterState {
  readonly pupils: readonly KeptPupil[]
}

/** What is to be done: the changes, with new ids. */
export interface RosterPlan extends Omit<RosterChanges, 'newClasses' | 'joins'> {
  readonly newClasses: readonly { readonly id: string; readonly subject: string; readonly name: string }[]
  readonly moves: readonly Place[]
  readonly joins: readonly (Place & { readonly subject: string })[]
}

interface Place {
  readonly id: string
  readonly class: string
  readonly name: string
  readonly alias: string
}

/** Rosters that wait to be confirmed, and what they change. */
export function rosterStore({ run, transaction }: Database) {
  async function stateOf(on: Run, school: number): Promise<KeptState> {
    const subjects = async (query: Prepared) => {
      const rows = await on<{ id: string; subject: string }>(query, [school, source])
      return new Map(rows.map(({ id, subject }) => [id, subject]))
    }
    const [classOf, pupilOf] = [await subjects(subjectsOfClasses), await subjects(subjectsOfPupils)]
    const there = await on<Omit<KeptState['pupils'][number], 'subject'>>(pupils, [school])
    const ids = new Set(there.map(({ id }) => id))
    const others = await on<(typeof there)[number]>(gone, [[...pupilOf.keys()].filter((id) => !ids.has(id))])
    return {
      classes: (await on<{ id: string; name: string }>(classes, [school])).map((one) => ({
        ...one,
        subject: classOf.get(one.id) ?? null,
      })),
      pupils: [...there, ...others]
        .map((one) => ({ ...one, subject: pupilOf.get(one.id) ?? null }))
        .toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    }
  }

  return {
    state: (school: number): Promise<KeptState> => stateOf(run, school),

    /** Keeps a roster in place of the one before; returns its id. */
    keep: async (school: number, content: string): Promise<string> =>
      (await only(run<{ id: string }>(keep, [school, content]))).id,

    /**
     * Changes a school as its roster says, all at once; undefined: it has no such roster.
     * @param planOf returns the plan, or what to answer without a change
     */
    change: <Other extends object>(
      school: number,
      id: string,
      planOf: (content: string, state: KeptState) => { readonly plan: RosterPlan } | { readonly other: Other },
    ): Promise<'done' | { readonly other: Other } | undefined> =>
      transaction(async (run) => {
        await run(lockSchool, [school])
        const found = await first(run<{ content: string }>(one, [school, id]))
        if (!found) return undefined
        await run(lockClasses, [school])
        const planned = planOf(found.content, await stateOf(run, school))
        if ('other' in planned) return planned
        await applyRoster(run, { school, source }, planned.plan)
        await run(remove, [school])
        return 'done'
      }),

    /** Deletes at most `limit` rosters that nobody has confirmed; returns how many. */
    sweep: async (limit: number): Promise<number> => (await run(sweep, [limit])).length,
  }
}

/** Pupils leave their class at once; some days later they are deleted, unless a roster has them again. */
export async function leaveClasses(run: Run, pupils: readonly string[]): Promise<void> {
  await endSeatsOfPupils(run, pupils)
  await run(leave, [pupils])
}

/** @param source what the ids of the roster belong to */
export async function applyRoster(
  run: Run,
  { school, source }: { readonly school: number; readonly source: string },
  plan: RosterPlan,
): Promise<void> {
  const { newClasses, renamedClasses, leaves, renames, moves, joins } = plan
  const ids = newClasses.map(({ id }) => id)
  await run(addClasses, [
    school,
    source,
    ids,
    newClasses.map(({ name }) => name),
    newClasses.map(({ subject }) => subject),
  ])
  await run(renameClasses, [renamedClasses.map(({ id }) => id), renamedClasses.map(({ name }) => name)])
  await leaveClasses(
    run,
    leaves.map(({ pupil }) => pupil),
  )
  await endSeatsOfPupils(
    run,
    moves.map(({ id }) => id),
  )
  await run(rename, [renames.map(({ pupil }) => pupil), renames.map(({ name }) => name)])
  const places = (rows: readonly Place[]) => [
    rows.map(({ id }) => id),
    rows.map((row) => row.class),
    rows.map(({ name }) => name),
    rows.map(({ alias }) => alias),
  ]
  await run(movePupils, places(moves))
  await run(join, [school, source, ...places(joins), joins.map(({ subject }) => subject)])
  await agreeElsewhere(
    run,
    joins.map(({ id }) => id),
  )
}
