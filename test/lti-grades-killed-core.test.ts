import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { claim } from '../core/connections/rules/lti-claims.ts'
import { report, startGraded, startPlatform, type TestPlatform } from './support/lti.ts'
import { startProcesses, type Processes } from './support/processes.ts'
import { addStudio } from './support/studios.ts'
import { tokens } from './support/system.ts'
import { bearer } from './support/xapi.ts'

let processes: Processes
let platform: TestPlatform
beforeAll(async () => {
  ;[processes, platform] = await Promise.all([
    startProcesses({ cores: 2, env: { LRS_OUTGOING_ALLOW: '127.0.0.0/8,::1' } }),
    startPlatform(),
  ])
})
afterAll(() => Promise.all([processes.close(), platform.close()]))

const learners = 30
const kills = 10

test('30 grades are right while cores are killed ten times', { tags: 'long', timeout: 400_000 }, async () => {
  const { database, connections, urls } = processes
  const { sql } = database
  const school = await addStudio(processes, 'Oak School', { kind: 'school' })
  await school.on().lti.addPlatform({ platform: platform.settings() })
  const { schoolId } = await school.on().lti.listPlatforms({})
  const studio = await addStudio(processes, 'Blue Fox')
  const { gameId } = await studio.on().games.createGame({ name: 'Quiz' })
  // a build without files is enough for sessions
  await sql(
    `with b as (insert into build (uuid, game, kind, file_name, size, files, expanded)
        select gen_random_uuid(), id, 'browser', 'quiz.zip', 1000, 3, 2500 from game where uuid = $1 returning id, game)
      update game g set staged_build = b.id from b where g.id = b.game`,
    [gameId],
  )
  const admin = connections[0]!.as(bearer(tokens.admin))
  await studio.on().games.updateGame({ gameId, name: 'Quiz', summary: 'Questions', description: 'Twenty of them' })
  await studio.on().games.submitForReview({ gameId, message: '' })
  const { game: submitted } = await studio.on().games.getGame({ gameId })
  const { buildId } = submitted!.staged!
  await admin.games.decideReview({ gameId, buildId, approved: true, note: '' })
  const { game } = await studio.on().games.getGame({ gameId })
  const custom = { [claim.custom]: { game: game!.summary!.slug, grading: 'last' } }
  const sessions: Awaited<ReturnType<typeof startGraded>>[] = []
  for (let n = 0; n < learners; n++)
    sessions.push(await startGraded(admin.lti, platform, { schoolId, sub: `u${n}`, ...custom }))

  /** Looks and leases of cores that are dead are due soon. */
  const hasten = () =>
    sql(`with link as (update lti_link set making = least(making, now() + interval '5 seconds'))
      update lti_grade set next_attempt = least(next_attempt, now()), leased = least(leased, now() + interval '5 seconds')`)
  let over = false
  const hastening = (async () => {
    while (!over) {
      await hasten()
      await new Promise((done) => setTimeout(done, 300))
    }
  })()
  const killing = (async () => {
    for (let n = 0; n < kills; n++) await processes.crashCore(n % 2)
  })()
  try {
    for (const score of [0.2, 0.6, undefined])
      await Promise.all(
        sessions.map(async (session, n) => {
          await report(urls[0]!, session, 'attempted')
          await report(urls[0]!, session, 'passed', score ?? n / learners)
        }),
      )
    await killing
    const last = (user: string) => platform.state.scores.findLast(({ userId }) => userId === user)?.scoreGiven
    const expected = sessions.map((_, n) => Math.round((n / learners) * 1e4) / 100)
    await vi.waitFor(() => expect(sessions.map((_, n) => last(`u${n}`))).toEqual(expected), {
      timeout: 120_000,
      interval: 500,
    })
    expect(platform.state.items).toHaveLength(1)
    await vi.waitFor(
      async () => expect(await sql('select from lti_grade where sent is distinct from wanted')).toEqual([]),
      { timeout: 120_000, interval: 500 },
    )
  } finally {
    over = true
    await hastening
  }
})
