import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { freshDatabase } from '../support/database.ts'

const step = readFileSync('core/process/database/migrations/066-refusals-without-values.sql', 'utf8')
const said = 'is no property of a Statement, which has actor, verb and object (case matters)'

test.each([
  [
    'POST /xapi/statements',
    'statements[].actor.mbox',
    'must be a mailto IRI, not "zeb@home"',
    'statements[].actor.mbox',
  ],
  ['POST /xapi/statements', 'statements[].zeb', `statements[0].zeb: ${said}`, 'statements[]["…"]'],
  ['POST /xapi/statements', 'statements[]["zeb@home"]', `x: ${said}`, 'statements[]["…"]'],
  ['POST /xapi/statements', 'zeb', `zeb: ${said}`, '["…"]'],
  ['POST /xapi/statements', 'result.extensions["zeb"]', 'must be named by an IRI', 'result.extensions["…"]'],
  ['GET /xapi/agents', 'zeb', 'zeb: unknown parameter; this request accepts agent', '…'],
  ['GET /xapi/zeb', '', 'There is nothing at this path', ''],
])('of a stored refusal (%s, %s, %s) the form of its place is left', async (request, path, message, kept) => {
  const database = await freshDatabase()
  onTestFinished(() => database.close())
  await database.sql(
    `with g as (insert into game (name) values ('Quiz') returning id)
    insert into refusal_tally (game, day, kind, reason, status, request, path, message, count, last)
    select id, now(), gen_random_uuid(), 'INVALID', 400, $1, $2, $3, 1, now() from g`,
    [request, path, message],
  )
  await database.sql(`drop index refusal_tally_day; ${step}`)
  const rows = await database.sql('select request, path, message from refusal_tally')
  expect(rows).toEqual([{ request: request.includes('zeb') ? 'GET /…' : request, path: kept, message: '' }])
})
