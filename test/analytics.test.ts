import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { analyst, documentedSql, writeDays } from './support/parquet.ts'

const adl = 'http://adlnet.gov/expapi/verbs/'
const types = 'https://w3id.org/xapi/seriousgames/activity-types'
const levels = (number: number) => ({
  id: `https://games.example/levels/${number}`,
  definition: { name: { en: `Level ${number}` }, type: `${types}/level` },
})
const game = { id: 'https://games.example/quiz', definition: { name: { en: 'Quiz' }, type: `${types}/serious-game` } }
const question = (number: number) => ({
  id: `https://games.example/questions/${number}`,
  definition: { name: { en: `Question ${number}` }, type: 'http://adlnet.gov/expapi/activities/cmi.interaction' },
})

let place = 0
const list: { readonly stored: string }[] = []
/** A statement of a learner at a time of 2026-11-DD. */
function said(who: string, when: string, verb: string, object: object, result?: object, revision?: string): void {
  const stored = `2026-${when.length === 11 ? `11-${when}` : when}.${String(++place).padStart(6, '0')}Z`
  const registration = `00000000-0000-4000-8000-0000000000${who === 'ann' ? '01' : '02'}`
  list.push({
    id: `00000000-0000-4000-8000-${String(place).padStart(12, '0')}`,
    actor: { account: { homePage: 'https://s.example', name: who } },
    verb: { id: adl + verb },
    object,
    result,
    context: { registration, revision },
    timestamp: stored.replace(/\.\d+/, ''),
    stored,
  } as never)
}
// Ann: two attempts at level 1, the second better; level 2 without an end; comes back after 1 and 7 days
said('ann', '01T10:00:00', 'initialized', game)
said('ann', '01T10:00:00', 'initialized', levels(1), undefined, '1.0')
said('ann', '01T10:00:30', 'completed', levels(1), { score: { scaled: 0.4 }, success: false }, '1.0')
said('ann', '01T10:01:00', 'initialized', levels(1), undefined, '1.1')
said('ann', '01T10:01:10', 'passed', levels(1), { score: { raw: 9, min: 0, max: 10 }, duration: 'PT12S' }, '1.1')
said('ann', '01T10:02:00', 'initialized', levels(2))
said('ann', '01T10:03:20', 'answered', question(1), { success: true, response: 'a' })
said('ann', '02T10:00:00', 'answered', question(2), { success: false, response: 'b' })
said('ann', '08T10:00:00', 'answered', question(2), { success: true, response: 'c' })
// Ben: level 1 once, completed twice over, which are two attempts; then nothing more
said('ben', '02T08:00:00', 'initialized', levels(1), undefined, '1.1')
said('ben', '02T08:00:20', 'completed', levels(1), { success: true, score: { scaled: 0.5 } }, '1.1')
said('ben', '02T08:00:40', 'completed', levels(1), { completion: true })
said('ben', '02T08:01:00', 'answered', question(1), { success: true, response: 'a' })
said('ben', '02T08:01:10', 'answered', question(2), { success: false, response: 'b' })
// Cleo: comes once, a month later, and plays nothing
said('cleo', '12-01T09:00:00', 'launched', game)

let folder: string
let sql: Awaited<ReturnType<typeof analyst>>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lrs-analytics-'))
  await writeDays(folder, list)
  sql = await analyst(folder)
})
afterAll(async () => {
  sql.close()
  await rm(folder, { recursive: true })
})

const [one, two] = [1, 2].map((number) => `https://games.example/levels/${number}`)
const [first, second] = [1, 2].map((number) => `https://games.example/questions/${number}`)
/** What each question of docs/analytics.md has to answer. */
const answers: Record<number, unknown[][]> = {
  1: [
    ['2026-11-01', 1, 1, 7],
    ['2026-11-02', 2, 1, 6],
    ['2026-11-08', 1, 0, 1],
    ['2026-12-01', 1, 1, 1],
  ],
  2: [
    [one, 'Level 1', 2, 2],
    [two, 'Level 2', 1, 0],
  ],
  // Ben's second attempt has no start, so no time; Ann's first one was completed and failed
  3: [
    [one, 'Level 1', 4, 4, 2, 1, 0, 12, 20, 30],
    [two, 'Level 2', 1, 0, 0, 0, 1, null, null, null],
  ],
  4: [[one, 'Level 1', 3, 0.6, 0.5]],
  5: [[one, 'Level 1', 1, 0.4, 0.9, 1]],
  6: [
    [two, 'Level 2', 1, 0],
    [one, 'Level 1', 0, 1],
  ],
  // Ann's session spans days, so it has no length
  7: [[3, 0, 0, 70]],
  8: [
    ['2026-11-01', 1, 1, 1, 0],
    ['2026-11-02', 1, 0, 0, 0],
    ['2026-12-01', 1, 0, 0, 0],
  ],
  9: [
    [second, 'Question 2', 3, 0.333333, 'b'],
    [first, 'Question 1', 2, 1, null],
  ],
  10: [
    [one, 'Level 1', '1.0', 1, 1, 30],
    [one, 'Level 1', '1.1', 2, 1, 12],
    [one, 'Level 1', 'not known', 1, 1, null],
    [two, 'Level 2', 'not known', 1, 0, null],
  ],
}

test('the document asks ten questions', async () => {
  const { questions } = await documentedSql()
  expect([...questions.keys()]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
})

test.each(Object.keys(answers).map(Number))('question %d of docs/analytics.md', async (number) => {
  expect(await sql.answer(number)).toEqual(answers[number])
})

test('the columns have the types that the document names', async () => {
  const rows = await sql.ask('describe exported')
  const found = Object.fromEntries(rows.map((row) => [row['column_name'], row['column_type']]))
  expect(found).toMatchObject({
    id: 'VARCHAR',
    stored: 'TIMESTAMP WITH TIME ZONE',
    timestamp: 'TIMESTAMP WITH TIME ZONE',
    success: 'BOOLEAN',
    score_scaled: 'DOUBLE',
    statement: 'VARCHAR',
  })
})
