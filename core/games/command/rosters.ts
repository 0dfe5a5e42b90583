import { createHash, randomUUID } from 'node:crypto'
import { rosters as limits, schools } from '../../../shared/limits.ts'
import type {
  ReadRosterResponse,
  RosterChangeKind,
  RosterChanges as RosterChangesMessage,
} from '../../../gen/lrs/v1/rosters_pb.js'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import type { Core } from '../../context.ts'
import type { Fields } from '../../process/methods/answer.ts'
import type { NameIn } from '../../process/methods/enums.ts'
import { Refusal } from '../../process/refusal.ts'
import { nicknames } from '../../process/rules/nicknames.ts'
import { readRosterZip } from '../package/roster-zip.ts'
import { changesOf, type RosterChanges } from '../rules/roster-changes.ts'
import { faultList, type FaultList } from '../rules/roster-faults.ts'
import { modesOf, onlyPupils, rosterFiles, rosterOf, type Roster } from '../rules/roster.ts'
import type { KeptState, RosterPlan } from '../store/rosters.ts'

type Message = Fields<RosterChangesMessage>
interface Change extends Partial<Omit<Message['changes'][number], 'kind'>> {
  readonly kind: NameIn<typeof RosterChangeKind>
}

/** What people see of the changes. */
export interface ShownChanges extends Omit<Message, 'changes'> {
  readonly changes: readonly Change[]
}

/** Checks a OneRoster file, and keeps what it would change until it is confirmed. @throws Refusal */
export async function readRoster(
  { store, rosterQueue }: Pick<Core, 'store' | 'rosterQueue'>,
  who: Developer,
  { zip }: { readonly zip: Uint8Array },
): Promise<Omit<Fields<ReadRosterResponse>, 'changes'> & { changes?: ShownChanges }> {
  requireSchool(who)
  await store.portalLimits.require('roster', `school ${who.studio}`)
  const faults = faultList(limits.faults)
  const names = ['manifest', ...rosterFiles].map((name) => `${name}.csv`)
  const { roster, ignored } = await rosterQueue.run(who.studio, async () => {
    const { files, ignored } = await readRosterZip(zip, names, faults)
    return { roster: faults.count === 0 ? rosterIn(files, faults) : undefined, ignored }
  })
  const wrong = () => ({ faults: faults.kept, faultCount: faults.count, ignored })
  if (!roster || faults.count > 0) return wrong()
  const state = await store.rosters.state(who.studio)
  const pupils = onlyPupils(roster, new Set(state.pupils.map(({ subject }) => subject)))
  const changes = changesOf(pupils, state, schools, faults)
  if (faults.count > 0) return wrong()
  return {
    faults: [],
    faultCount: 0,
    ignored,
    changes: shown(await store.rosters.keep(who.studio, JSON.stringify(pupils)), changes),
  }
}

function rosterIn(files: Awaited<ReturnType<typeof readRosterZip>>['files'], faults: FaultList): Roster | undefined {
  const manifest = files.get('manifest.csv')
  if (!manifest) faults.add('missing-file', { file: 'manifest.csv' })
  const modes = manifest && modesOf(manifest, faults)
  if (!modes) return undefined
  for (const name of modes.keys()) if (!files.has(`${name}.csv`)) faults.add('missing-file', { file: `${name}.csv` })
  if (faults.count > 0) return undefined
  const rows = new Map(Array.from(files, ([name, found]) => [name.replace('.csv', ''), found]))
  return rosterOf(modes, rows, new Date().toISOString().slice(0, 10), faults)
}

/** Makes the changes of a roster, if they are those that were shown; else it returns them again. @throws Refusal */
export async function confirmRoster(
  { store }: Pick<Core, 'store'>,
  who: Developer,
  {
    rosterId,
    fingerprint,
    leavers,
  }: { readonly rosterId: string; readonly fingerprint: string; readonly leavers: number },
): Promise<{ now?: ShownChanges }> {
  requireSchool(who)
  const changed = await store.rosters.change<ShownChanges>(who.studio, rosterId, (content, state) => {
    const faults = faultList(1)
    const changes = changesOf(JSON.parse(content) as Roster, state, schools, faults)
    const now = shown(rosterId, changes)
    if (faults.count > 0) throw new Refusal('conflict', 'The school has changed since: send the file again.')
    if (now.fingerprint !== fingerprint || (now.manyLeave && leavers !== now.leaves)) return { other: now }
    return { plan: planOf(changes, state) }
  })
  if (!changed) throw new Refusal('not-found', 'No such file waits to be confirmed: send it again.')
  return changed === 'done' ? {} : { now: changed.other }
}

/** @throws Refusal */
function requireSchool({ kind }: Developer): void {
  if (kind !== 'school') throw new Refusal('forbidden', 'Only owners of a school may do this.')
}

/** The changes as people see them, those that take something away first. */
function shown(rosterId: string, changes: RosterChanges): ShownChanges {
  const { newClasses, renamedClasses, emptied, joins, renames, leaves, before } = changes
  const moves = joins.filter(({ pupil }) => pupil !== undefined)
  const rows: Change[] = [
    ...emptied.map((name) => ({ kind: 'empty' as const, name })),
    ...leaves.map((one) => ({ kind: 'leave' as const, name: one.name, className: one.in })),
    ...renamedClasses.map((one) => ({ kind: 'rename-class' as const, name: one.name, before: one.before })),
    ...newClasses.map(({ name }) => ({ kind: 'new-class' as const, name })),
    ...renames.map((one) => ({ kind: 'rename' as const, name: one.name, before: one.before, className: one.in })),
    ...joins.map(({ pupil, name, in: className }) => ({
      kind: pupil ? ('move' as const) : ('join' as const),
      name,
      className,
    })),
  ]
  return {
    rosterId,
    fingerprint: createHash('sha256').update(JSON.stringify(changes)).digest('base64url'),
    changes: rows.slice(0, limits.shown),
    newClasses: newClasses.length,
    renamedClasses: renamedClasses.length,
    emptiedClasses: emptied.length,
    joins: joins.length,
    moves: moves.length,
    renames: renames.length,
    leaves: leaves.length,
    before,
    manyLeave: leaves.length > limits.leavers * before,
  }
}

/** The changes with new ids and nicknames. */
export function planOf(changes: RosterChanges, state: KeptState): RosterPlan {
  const newClasses = changes.newClasses.map(({ class: subject, name }) => ({
    id: randomUUID() as string,
    subject,
    name,
  }))
  const classes = new Map([...state.classes, ...newClasses].map(({ subject, id }) => [subject, id]))
  const aliases = Map.groupBy(state.pupils, (one) => one.class)
  const placed = [...Map.groupBy(changes.joins, (one) => one.class)].flatMap(([subject, joins]) => {
    const id = classes.get(subject)!
    const taken = aliases.get(id)?.map(({ alias }) => alias) ?? []
    const fresh = nicknames(joins.length, taken)
    return joins.map((one, n) => ({ ...one, class: id, alias: fresh[n]! }))
  })
  return {
    ...changes,
    newClasses,
    moves: placed.flatMap(({ pupil, ...place }) => (pupil === undefined ? [] : [{ ...place, id: pupil }])),
    joins: placed.filter(({ pupil }) => pupil === undefined).map((place) => ({ ...place, id: randomUUID() })),
  }
}
