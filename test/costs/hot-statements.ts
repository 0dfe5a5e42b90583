import { randomUUID } from 'node:crypto'
import { prepareBatch } from '../../bench/fill.ts'
import type { storeOver } from '../../core/store.ts'
import type { FilterKeys } from '../../core/records/xapi/statement-filter.ts'
import type { Reader } from '../../core/records/store/cell/page-parameters.ts'
import { documentKey } from '../../core/records/xapi/document-scope.ts'
import type { Key } from '../../core/records/xapi/identify.ts'
import { reference, statement, voiding } from '../support/statements.ts'
import type { Probes, Values } from './probes.ts'

type Store = ReturnType<typeof storeOver>

/** A frequent call of the store. The cost of every SQL statement that it sends must depend only on its answer. */
export interface Hot {
  what: string
  ask(store: Store, probes: Probes): Promise<unknown>
  /**
   * The cost may grow with the number of games (for readers with access to all games), or with the number of tallies
   * of the days in a chart.
   */
  each?: 'game' | 'tally'
  /** The filters of a page with several. The rarest one bounds the cost. */
  several?(probes: Probes): FilterKeys
}

/** Files of core. The calls below have to send every prepared statement of these files. */
export const hotFiles = [
  'records/store/cell/read-statements',
  'records/store/cell/write-statements',
  'records/store/cell/tell',
  'records/store/cell/documents',
  'records/store/cell/knowledge',
  'records/store/cell/session-statements',
  'analytics/store/cell/learner-results',
  'analytics/store/cell/tallies',
  'analytics/store/cell/insights',
  'analytics/store/cell/answers',
  'analytics/store/cell/distributions',
  'analytics/store/cell/folds/chart-counts',
  'analytics/store/cell/cursors',
  'analytics/store/cell/folds/clock',
  'analytics/store/cell/folds/fact-queries',
  'analytics/store/cell/folds/turns',
  'analytics/store/cell/folds/learner-sums',
]
/** Exceptions: prepared statements of these files that no call below sends. */
export const elsewhere = new Set([
  'lock_documents', // takes a lock, reads nothing
  'recount_move', // one row by its key, after 500 statements of one learner
  'tell_rest', // what a killed core left, one group at a time
  'tell_all', // the same, in an erasure
  'tally_hold', // the same row as tally_lock, in an erasure
  'tally_add_cursor', // one row by its key, in an erasure
  'answers_people_of_values', // as answers_people, of a game with a cut
  'learner_newest_of_report', // as learner_newest, with more of each learner
  'turns_off', // statements by their keys, in an erasure
  ...['move_next', 'adopt', 'begin_next', 'swap', 'give_up', 'left'].map((name) => `tally_${name}`), // one row by its key
  'tally_regroup', // people of one level, when it turns out to be the game itself
])

type Count = keyof Values
const counts: Count[] = ['common', 'rare', 'absent']

const filters: Record<string, (probes: Probes, count: Count) => FilterKeys> = {
  agent: ({ actor }, count) => ({ agent: actor[count] }),
  'related agent': ({ actor, term, credential }, count) => ({
    agent: actor[count],
    relatedAgent: term[count],
    authority: credential.authority,
  }),
  'agent of another authority': ({ actor, term }, count) => ({
    agent: actor[count],
    relatedAgent: term[count],
    authority: '{}',
  }),
  verb: ({ verb }, count) => ({ verb: verb[count] }),
  activity: ({ activity }, count) => ({ activity: activity[count] }),
  'related activity': ({ activity, term }, count) => ({ activity: activity[count], relatedActivity: term[count] }),
  registration: ({ registration }, count) => ({ registration: registration[count] }),
}

/** Two or more filters: common, rare and absent ones. */
const several: Record<string, (probes: Probes) => FilterKeys> = {
  'common agent, common verb': ({ actor, verb }) => ({ agent: actor.common, verb: verb.common }),
  'common agent, rare verb': ({ actor, verb }) => ({ agent: actor.common, verb: verb.rare }),
  'rare agent, common verb': ({ actor, verb }) => ({ agent: actor.rare, verb: verb.common }),
  'common agent, absent activity': ({ actor, activity }) => ({ agent: actor.common, activity: activity.absent }),
  'common verb, rare activity': ({ verb, activity }) => ({ verb: verb.common, activity: activity.rare }),
  'common verb, common related activity': ({ verb, activity, term }) => ({
    verb: verb.common,
    activity: activity.rare,
    relatedActivity: term.common,
  }),
  'rare verb, common related activity': ({ verb, activity, term }) => ({
    verb: verb.rare,
    activity: activity.rare,
    relatedActivity: term.common,
  }),
  'rare agent, rare registration, rare activity, rare verb': ({ actor, registration, activity, verb }) => ({
    agent: actor.rare,
    registration: registration.rare,
    activity: activity.rare,
    verb: verb.rare,
  }),
  'common agent, rare registration, rare activity, common verb': ({ actor, registration, activity, verb }) => ({
    agent: actor.common,
    registration: registration.rare,
    activity: activity.rare,
    verb: verb.common,
  }),
}

const reader = ({ credential }: Probes, actor?: Key, everything = false): Reader => ({
  credential: credential.id,
  credentialVersion: credential.version,
  game: credential.game,
  cell: 1,
  actor,
  everything,
})

const pages: Hot[] = []
for (const ascending of [false, true]) {
  const direction = ascending ? 'ascending' : 'descending'
  const page = { ascending, limit: 50 }
  const add = (what: string, ask: Hot['ask'], more: Partial<Hot> = {}) =>
    pages.push({ what: `page ${direction}, ${what}`, ask, ...more })

  add('no filter', ({ statements }, probes) => statements.page(reader(probes), {}, page))
  add('since', ({ statements }, probes) => statements.page(reader(probes), {}, { ...page, after: probes.middle }))
  add('until', ({ statements }, probes) => statements.page(reader(probes), {}, { ...page, until: probes.middle }))
  for (const [name, filter] of Object.entries(filters)) {
    for (const count of counts) {
      add(`${count} ${name}`, ({ statements }, probes) => statements.page(reader(probes), filter(probes, count), page))
    }
    add(`common ${name} until`, ({ statements }, probes) =>
      statements.page(reader(probes), filter(probes, 'common'), { ...page, until: probes.middle }),
    )
    add(
      `common ${name} of all games`,
      ({ statements }, probes) => statements.page(reader(probes, undefined, true), filter(probes, 'common'), page),
      { each: 'game' },
    )
  }
  for (const [name, filter] of Object.entries(several))
    add(name, ({ statements }, probes) => statements.page(reader(probes), filter(probes), page), { several: filter })
  for (const count of counts) {
    add(`of a ${count} learner`, ({ statements }, probes) =>
      statements.page(reader(probes, probes.actor[count]), {}, page),
    )
    const ofLearner: Record<string, (probes: Probes) => FilterKeys> = {
      'common related activity': ({ activity, term }) => ({ activity: activity.common, relatedActivity: term.common }),
      'rare verb': ({ verb }) => ({ verb: verb.rare }),
    }
    for (const [name, filter] of Object.entries(ofLearner)) {
      add(
        `of a ${count} learner, ${name}`,
        ({ statements }, probes) => statements.page(reader(probes, probes.actor[count]), filter(probes), page),
        {
          several: (probes) => ({ ...filter(probes), agent: probes.actor[count] }),
        },
      )
    }
  }
  add('of all games', ({ statements }, probes) => statements.page(reader(probes, undefined, true), {}, page), {
    each: 'game',
  })
}
pages.push({
  what: 'page of 500',
  ask: ({ statements }, probes) => statements.page(reader(probes), {}, { ascending: false, limit: 500 }),
})

const byId: Hot[] = [
  { what: 'statement by id', ask: ({ statements }, probes) => statements.byId(reader(probes), probes.ids[0]!, false) },
  {
    what: 'statement by id that is not there',
    ask: ({ statements }, probes) => statements.byId(reader(probes), randomUUID(), false),
  },
  {
    what: 'voided statement by id',
    ask: ({ statements }, probes) => statements.byId(reader(probes), probes.ids.at(-1)!, true),
  },
  {
    what: 'statement by id in all games',
    ask: ({ statements }, probes) => statements.byId(reader(probes, undefined, true), probes.ids[0]!, false),
    each: 'game',
  },
  {
    what: 'statements by id, together',
    ask: ({ statements }, probes) =>
      Promise.all(probes.ids.map((id) => statements.byId(reader(probes, probes.actor.common), id, false))),
  },
  {
    what: 'bodies of statements',
    ask: ({ statements }, probes) => statements.bodies(probes.credential.game, probes.ids),
  },
  {
    what: 'actors of statements',
    ask: ({ statements }, probes) => statements.actorsOf(probes.credential.game, probes.ids),
  },
  {
    what: 'the latest position of games',
    ask: ({ statements }, probes) => statements.latest([probes.credential.game], false),
  },
  { what: 'the latest position of all games', ask: ({ statements }) => statements.latest([], true), each: 'game' },
]

const write = (what: string, made: (probes: Probes) => unknown[]): Hot => ({
  what: `write: ${what}`,
  ask: async ({ statements }, probes) => {
    const { id, version, game } = probes.credential
    const outcomes = await statements.store([
      {
        ...prepareBatch(
          made(probes).map((one) => JSON.stringify(one)),
          probes.credential,
        ),
        credential: id,
        credentialVersion: version,
        game,
      },
    ])
    for (const outcome of outcomes) if (typeof outcome === 'object') await outcome.told
  },
})
const someone = () => ({
  objectType: 'Agent',
  name: `Newcomer ${randomUUID()}`,
  account: { homePage: 'https://players.example.org', name: randomUUID() },
})
const defined = (name: string) => ({
  id: 'https://games.example.org/activities/defined',
  definition: { name: { en: name } },
})
const list = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))

const writes: Hot[] = [
  write('one statement', () => [statement()]),
  write('20 of new learners', () => list(20, () => statement({ actor: someone() }))),
  write('20 that redefine an activity', () => list(20, (n) => statement({ object: defined(`${n} ${randomUUID()}`) }))),
  write('20 that refer to another', ({ ids }) => list(20, () => statement({ object: reference(ids[0]!) }))),
  write('20 with groups and related activities', () =>
    list(20, () =>
      statement({
        actor: { objectType: 'Group', member: [someone(), someone()] },
        context: {
          instructor: someone(),
          contextActivities: { grouping: [{ id: 'https://games.example.org/activities/all' }] },
        },
      }),
    ),
  ),
  write('one that voids', ({ ids }) => [voiding(ids[1]!)]),
  write('one that was stored before', ({ ids }) => [statement({ id: ids[0] })]),
  write('what somebody waits for', () => {
    const awaited = randomUUID()
    return [statement({ object: reference(awaited) }), statement({ id: awaited })]
  }),
]

/** Keys of the documents that plant.ts inserts. */
export const planted = {
  scope: 'd0000000-0000-4000-8000-000000000000',
  agent: 'a0000000-0000-4000-8000-000000000001',
  id: 'progress',
}
const location = { scope: planted.scope.replaceAll('-', ''), agent: planted.agent.replaceAll('-', '') }
const document = {
  content: Buffer.from('{}'),
  contentType: 'application/json',
  etag: 'bf21a9e8fbc5a3846fb05b4fa0859e0917b2202f',
}
const always = { required: 'never' } as const
const key = documentKey(planted.id)

const documents: Hot[] = [
  { what: 'get a document', ask: ({ documents }, probes) => documents.get(reader(probes), location, key, true) },
  {
    what: 'get documents together',
    ask: ({ documents }, probes) =>
      Promise.all(list(4, (n) => documents.get(reader(probes), location, documentKey(`${planted.id}${n}`), true))),
  },
  {
    what: 'put a document',
    ask: ({ documents }, probes) => documents.change(reader(probes), location, key, planted.id, document, always),
  },
  {
    what: 'put a new document',
    ask: ({ documents }, probes) =>
      documents.change(reader(probes), location, documentKey('another'), 'another', document, always),
  },
  {
    what: 'put documents together',
    ask: ({ documents }, probes) =>
      Promise.all(
        list(4, (n) =>
          documents.change(reader(probes), location, documentKey(`new ${n}`), `new ${n}`, document, always),
        ),
      ),
  },
  {
    what: 'remove a document',
    ask: ({ documents }, probes) => documents.change(reader(probes), location, key, planted.id, undefined, always),
  },
  {
    what: 'merge a document',
    ask: ({ documents }, probes) => documents.merge(reader(probes), location, key, planted.id, always, () => document),
  },
  { what: 'list documents', ask: ({ documents }, probes) => documents.list(reader(probes), location, 0) },
  {
    what: 'list documents since',
    ask: ({ documents }, probes) => documents.list(reader(probes), location, Date.now() * 1000),
  },
  { what: 'remove all documents', ask: ({ documents }, probes) => documents.deleteAll(reader(probes), location) },
]

const sessions: Hot[] = counts.flatMap((count) =>
  [true, false].map((brief) => ({
    what: `${brief ? 'the end' : 'the result'} of a session, ${count} learner`,
    ask: ({ sessionStatements }, { actor, registration, credential: { game } }) =>
      sessionStatements.ofSession({ game, actor: actor[count], registration: registration[count], began: 0 }, brief),
  })),
)

/** An open board asks each second for the statements after the last one that it knows. */
const results: Hot[] = counts.flatMap((count) =>
  [0, Number.MAX_SAFE_INTEGER - 1].map((after) => ({
    what: `${after === 0 ? 'all' : 'new'} statements of a class, ${count} learner`,
    ask: ({ learnerResults }, { actor, verb, credential: { game } }) =>
      learnerResults.newest(game, [{ actor: actor[count], after }], { verbs: [verb.common] }),
  })),
)

const all = async (pages: AsyncIterable<unknown>) => {
  for await (const _ of pages);
}
const learners: Hot[] = [
  {
    what: 'statements of a learner',
    ask: ({ learnerData }, { actor, term }) =>
      all(learnerData.statements({ key: actor.rare, relatedKey: term.absent })),
    each: 'game',
  },
  {
    what: 'names of a learner',
    ask: ({ learnerData }, { actor, term }) => learnerData.names({ key: actor.rare, relatedKey: term.absent }),
  },
  {
    what: 'documents of a learner',
    ask: ({ learnerData }, { term }) => all(learnerData.documents({ key: location.agent, relatedKey: term.absent })),
  },
]

const today = new Date().toISOString().slice(0, 10)
const day = Math.floor(Date.now() / 86_400_000)
const others: Hot[] = [
  { what: 'the watermark', ask: ({ through }) => through() },
  {
    what: 'definitions of an activity',
    ask: ({ knowledge }, probes) => knowledge.definitions(reader(probes), probes.activity.common),
  },
  {
    what: 'definitions of no activity',
    ask: ({ knowledge }, probes) => knowledge.definitions(reader(probes), probes.activity.absent),
  },
  { what: 'names of an agent', ask: ({ knowledge }, probes) => knowledge.names(reader(probes), probes.actor.common) },
  { what: 'names of no agent', ask: ({ knowledge }, probes) => knowledge.names(reader(probes), probes.actor.absent) },
  {
    what: 'fold tallies',
    async ask({ tallies }, { credential }) {
      await tallies.begin(credential.game)
      await tallies.fold(credential.game)
    },
  },
  {
    what: 'fold a voiding statement',
    async ask(store, probes) {
      await write('', ({ ids }) => [voiding(ids[0]!)]).ask(store, probes)
      await store.tallies.begin(probes.credential.game)
      for (let n = 0; n < 3; n++) await store.tallies.fold(probes.credential.game)
    },
    each: 'tally',
  },
  {
    what: 'fold statements that are late',
    async ask(store, probes) {
      const actor = someone()
      const said = (word: string, timestamp: string) =>
        statement({ actor, timestamp, verb: { id: `http://adlnet.gov/expapi/verbs/${word}` }, object: defined('late') })
      const fold = async () => {
        while ((await store.tallies.fold(probes.credential.game)) === 'more');
      }
      await store.tallies.begin(probes.credential.game)
      await write('', () => [said('attempted', '2026-10-03T10:00:00Z'), said('completed', '2026-10-03T11:00:00Z')]).ask(
        store,
        probes,
      )
      await fold()
      await write('', () => [said('launched', '2026-10-01T10:00:00Z')]).ask(store, probes)
      await fold()
    },
    each: 'tally',
  },
  { what: 'games with charts to count', ask: ({ tallies }) => tallies.behind(), each: 'game' },
  {
    what: 'answers',
    ask: ({ answers }, { credential }) =>
      answers.read(credential.game, {
        from: day - 30,
        to: day,
        parts: new Set(['funnel', 'levels', 'leaving', 'sessions', 'returns', 'rejections', 'help']),
      }),
    each: 'tally',
  },
  {
    what: 'charts',
    ask: ({ insights }, { credential }) => insights.read(credential.game, { from: today, to: today }),
    each: 'tally',
  },
  { what: 'games of a studio', ask: ({ games }) => games.list(1, '') },
  { what: 'games in the gallery', ask: ({ games }) => games.published('', 60) },
  { what: 'games of one studio in the gallery', ask: ({ games }) => games.published('studio-7', 60) },
  { what: 'the page of a game', ask: ({ games }) => games.viewPublished('game-7') },
  { what: 'where a file is', ask: ({ games }) => games.locateFile(randomUUID(), 1, false) },
  { what: 'profiles that wait', ask: ({ studioProfiles }) => studioProfiles.waiting() },
  { what: 'reviews that wait', ask: ({ games }) => games.waiting() },
  { what: 'a credential', ask: ({ credentials }) => credentials.find('bench') },
]

export const hotStatements: readonly Hot[] = [
  ...pages,
  ...byId,
  ...writes,
  ...documents,
  ...sessions,
  ...results,
  ...learners,
  ...others,
]
