import fc from 'fast-check'
import { activity, player, reference, statement, verb, voiding, type Json } from './statements.ts'

const names = ['ann', 'ben', 'cleo']
const ids = Array.from({ length: 12 }, (_, n) => `11111111-0000-4000-8000-0000000000${n.toString(16).padStart(2, '0')}`)
export const registrations = ['22222222-0000-4000-8000-000000000001', '22222222-0000-4000-8000-000000000002']

export const agent = fc.constantFrom(...names).map(player)
const group = fc
  .record({ member: fc.array(agent, { minLength: 1, maxLength: 2 }), isNamed: fc.boolean() })
  .map(({ member, isNamed }) => ({
    objectType: 'Group',
    member,
    ...(isNamed ? { mbox: 'mailto:team@example.org' } : {}),
  }))
const actor = fc.oneof({ weight: 4, arbitrary: agent }, { weight: 1, arbitrary: group })
export const someActivity = fc.constantFrom('chess', 'go', 'quiz').map(activity)
export const someVerb = fc.constantFrom('played', 'won').map(verb)
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 3 })

const context = fc.record({
  registration: optional(fc.constantFrom(...registrations)),
  instructor: optional(actor),
  team: optional(group),
  contextActivities: optional(
    fc.record({
      parent: optional(fc.array(someActivity, { minLength: 1, maxLength: 2 })),
      other: optional(fc.array(someActivity, { minLength: 1, maxLength: 1 })),
    }),
  ),
})
const subStatement = fc
  .record({ actor, verb: someVerb, object: fc.oneof(someActivity, agent), context: optional(context) })
  .map((sub) => ({ objectType: 'SubStatement', ...sub }))

const object = fc.oneof(
  { weight: 4, arbitrary: someActivity },
  { weight: 1, arbitrary: actor },
  { weight: 1, arbitrary: subStatement },
  { weight: 3, arbitrary: fc.constantFrom(...ids).map(reference) },
)

/** Statements of few learners, verbs and activities, which refer to each other (in circles too) and void each other. */
export const someStatements = fc
  .array(
    fc.record({
      id: optional(fc.constantFrom(...ids)),
      actor,
      verb: someVerb,
      object,
      context: optional(context),
      voids: fc.integer({ min: 0, max: 9 }),
    }),
    { minLength: 20, maxLength: 60 },
  )
  .map((list) =>
    list.map(({ id, voids, ...rest }) =>
      clean(
        voids === 0
          ? voiding(ids[list.length % ids.length]!, { actor: rest.actor, ...(id ? { id } : {}) })
          : statement({ ...rest, ...(id ? { id } : {}) }),
      ),
    ),
  )

/** Without members that are undefined. */
const clean = (value: Json): Json => JSON.parse(JSON.stringify(value))
