import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { TryEnd } from '../gen/lrs/v1/lesson_results_pb.js'
import { hashSecret, newSecret } from '../core/process/secret.ts'
import { reasonOf } from './support/failures.ts'
import type { Game } from './support/games.ts'
import { startPortalSystem, type PortalSystem } from './support/portal.ts'
import { statement } from './support/statements.ts'
import { addStudio, type Studio } from './support/studios.ts'
import { tokens } from './support/system.ts'
import { bearer } from './support/xapi.ts'

let system: PortalSystem
let [school, other, fox] = [] as unknown as [Studio, Studio, Studio]
let observer: string
let game: Game
let slug: string
beforeAll(async () => {
  system = await startPortalSystem()
  ;[school, other, fox] = await Promise.all([addSchool('Oak School'), addSchool('Elm'), addStudio(system, 'Fox')])
  observer = await addMember(school, 'observer')
  game = await system.game()
  slug = `quiz-${game.id.slice(0, 8)}`
  await system.database.sql('update game set slug = $2, name = $3 where uuid = $1', [game.id, slug, 'Quiz'])
})
afterAll(() => system.close())

async function addSchool(name: string): Promise<Studio> {
  const made = await addStudio(system, name)
  await system.database.sql(`update studio set kind = 'school' where id = $1`, [made.id])
  return made
}

/** The session of another member. */
async function addMember({ id }: Studio, role: string): Promise<string> {
  const session = newSecret()
  await system.database.sql(
    `with a as (insert into account (email, password_hash) values ($2, '') returning id),
      m as (insert into member (studio, account, role) select $1, id, $3 from a)
    insert into studio_session (hash, studio, account, expires) select $4, $1, id, now() + interval '1 day' from a`,
    [id, `${randomUUID()}@example.org`, role, hashSecret(session)],
  )
  return session
}

interface Pupil {
  readonly id: string
  readonly learner: string
}

/** An open lesson of a class whose pupils have seats. Aliases are in another order than names. */
async function openLesson(names: readonly string[], { id }: Studio = school) {
  const { sql } = system.database
  const [of] = await sql<{ class: string; lesson: string }>(
    `with c as (insert into school_class (school, name) values ($1, '4b') returning uuid)
    insert into lesson (class, game, code, network, newcomers, opened, closes)
      select c.uuid, g.id, $3, 'here', false, now() - interval '1 minute', now() + interval '1 hour'
      from c, game g where g.uuid = $2 returning class, uuid as lesson`,
    [id, game.id, String(Math.random()).slice(2, 8)],
  )
  const pupils: Pupil[] = []
  for (const [n, name] of names.entries())
    pupils.push(
      (
        await sql<Pupil & { game: number }>(
          `with p as (insert into pupil (class, name, alias) values ($1, $2, $3) returning uuid),
            l as (insert into learner (uuid, game, kind, name)
              select gen_random_uuid(), id, 'invited', $3 from game where uuid = $4 returning uuid, game),
            s as (insert into seat (lesson, token_hash, sign, network, let_in, pupil, until)
              select $5, $6, 1, 'here', now(), p.uuid, now() + interval '1 hour' from p)
          insert into pupil_learner (pupil, game, learner) select p.uuid, l.game, l.uuid from p, l
            returning pupil as id, learner`,
          [of!.class, name, `Alias ${names.length - n}`, game.id, of!.lesson, randomUUID()],
        )
      )[0]!,
    )
  return { classId: of!.class, lessonId: of!.lesson, pupils }
}

const level = (name: string) => ({
  id: `https://g.example/${name}`,
  definition: { name: { en: `Level ${name}`, de: `Stufe ${name}` } },
})
const said = ({ learner }: Pupil, verb: string, object: object, more: Record<string, unknown> = {}) =>
  statement({
    actor: { account: { homePage: 'https://lrs.example.org/learners', name: learner } },
    verb: { id: `http://adlnet.gov/expapi/verbs/${verb}` },
    object,
    context: { registration: learner },
    ...more,
  })
const send = async (statements: unknown[]) => expect((await game.xapi().post(statements)).status).toBe(200)
const resultsOf = (session: string) =>
  system.connections[0]!.as(bearer(tokens.portal), { 'x-lrs-session': session }).lessonResults
const results = () => resultsOf(school.session)

describe('the board', () => {
  test('has each pupil at each level, within one poll of the commit', async () => {
    const { lessonId, pupils } = await openLesson(['Zoe', 'Ann', 'Ben'])
    const [zoe, ann] = pupils as [Pupil, Pupil]
    await system.database.sql(
      `insert into seat (lesson, token_hash, sign, network, until)
        values ($1, $2, 7, 'elsewhere', now() + interval '1 hour')`,
      [lessonId, randomUUID()],
    )
    await send([said(zoe, 'initialized', level('a')), said(zoe, 'failed', level('a')), said(ann, 'passed', level('b'))])
    const board = async () => {
      const { levels, pupils, waiting } = await results().getBoard({ lessonId })
      const cells = pupils.map(({ name, here, stuckAt, cells: own }) => [
        name,
        here,
        stuckAt,
        ...own.map(({ tries, passed, failed, now }) => [tries, passed, failed, now]),
      ])
      return { levels: levels.map(({ name }) => JSON.parse(name).en), cells, waiting: waiting.map(({ sign }) => sign) }
    }
    expect(await board()).toEqual({
      levels: ['Level a', 'Level b'],
      waiting: [7],
      cells: [
        ['Ann', true, undefined, [0, false, false, false], [1, true, false, true]],
        ['Ben', true, undefined, [0, false, false, false], [0, false, false, false]],
        ['Zoe', true, undefined, [1, false, true, true], [0, false, false, false]],
      ],
    })
    // the next poll reads what is new only
    const read = vi.spyOn(system.cores[0]!.store.learnerResults, 'newest')
    await send([said(zoe, 'failed', level('a')), said(zoe, 'failed', level('a'))])
    expect((await board()).cells[2]).toEqual(['Zoe', true, 0, [3, false, true, true], [0, false, false, false]])
    await board()
    const found = await Promise.all(read.mock.results.map(({ value }) => value as Promise<unknown[][]>))
    expect(found.map((of) => of.map(({ length }) => length).toSorted())).toEqual([
      [0, 0, 2],
      [0, 0, 0],
    ])
    read.mockRestore()
  })

  test('has nothing of before and after its lesson, nor what was voided', async () => {
    const { lessonId, pupils } = await openLesson(['Ann'])
    const [before, voided, meant, after] = ['before', 'voided', 'meant', 'after'].map((name) =>
      said(pupils[0]!, 'passed', level(name)),
    )
    await send([before])
    await system.database.sql('update lesson set opened = now() where uuid = $1', [lessonId])
    await send([voided, meant])
    await system.database.sql('update statement set voided = true where id = $1', [voided.id])
    await system.database.sql('update lesson set ended = now(), code = null where uuid = $1', [lessonId])
    await send([after])
    const { levels, pupils: rows, lesson } = await results().getBoard({ lessonId })
    expect(levels.map(({ activityId }) => activityId)).toEqual([meant.object.id])
    expect(rows).toMatchObject([{ here: false, cells: [{ passed: true, now: false }] }])
    expect(lesson).toMatchObject({ code: '', className: '4b', gameName: 'Quiz' })
  })

  test('is read by one at a time; who asks meanwhile shares the next reading', async () => {
    const { lessonId } = await openLesson(['Ann'])
    const read = vi.spyOn(system.cores[0]!.store.learnerResults, 'newest')
    await Promise.all(Array.from({ length: 20 }, () => results().getBoard({ lessonId })))
    expect(read.mock.calls.length).toBeLessThan(10)
    read.mockRestore()
  })
})

test('observers get aliases in their order, strangers nothing', async () => {
  const { lessonId, classId } = await openLesson(['Ann', 'Ben', 'Zoe'])
  const [board, report] = await Promise.all([
    resultsOf(observer).getBoard({ lessonId }),
    resultsOf(observer).getReport({ lessonId }),
  ])
  expect(board.pupils.map(({ name }) => name)).toEqual(['Alias 1', 'Alias 2', 'Alias 3'])
  expect(report.pupils.map(({ name }) => name)).toEqual(['Alias 1', 'Alias 2', 'Alias 3'])
  const asked: [string, string][] = [
    ['', 'UNAUTHENTICATED'],
    [other.session, 'NOT_FOUND'],
    [fox.session, 'FORBIDDEN'],
  ]
  for (const [session, reason] of asked)
    for (const call of [
      () => resultsOf(session).getBoard({ lessonId }),
      () => resultsOf(session).getReport({ lessonId }),
      () => resultsOf(session).getReport({ classId, gameSlug: slug }),
    ])
      expect(await reasonOf(call())).toBe(reason)
  expect(await reasonOf(results().getReport({ classId, gameSlug: 'never-played' }))).toBe('NOT_FOUND')
  expect(await reasonOf(results().getReport({}))).toBe('NOT_FOUND')
})

describe('the report', () => {
  const ends: readonly (readonly [string, object?] | undefined)[] = [
    ['passed', { score: { scaled: 0.9 } }],
    ['failed', { score: { scaled: 0.25 } }],
    ['failed'],
    ['completed'],
    ['completed', { success: false }],
    ['exited'],
    undefined,
  ]
  const question = (n: number) => ({
    id: `https://g.example/question-${n}`,
    definition: {
      name: { en: `Question ${n}` },
      type: 'http://adlnet.gov/expapi/activities/cmi.interaction',
      interactionType: 'choice',
      correctResponsesPattern: ['x'],
      choices: ['x', 'y', 'z'].map((id) => ({ id, description: { en: `Answer ${id}` } })),
    },
  })

  /** What a pupil sends: tries at levels and answers, in two sessions. */
  function lessonOf(pupil: Pupil, random: (below: number) => number) {
    const began = Date.now() - 3_600_000
    const sent: ReturnType<typeof said>[] = []
    const add = (verb: string, object: object, result?: object) =>
      sent.push(
        said(pupil, verb, object, {
          ...(result && { result }),
          context: { registration: sent.length < 20 ? pupil.learner : pupil.id },
          timestamp: new Date(began + sent.length * 10_000).toISOString(),
        }),
      )
    while (sent.length < 40) {
      // no try goes on in the next session
      const at = level('abc'[random(3)]!)
      if (sent.length === 19 || random(3) === 0)
        add('answered', question(random(3)), { response: ['x', 'y', 'z'][random(3)] })
      else {
        add('initialized', at)
        const end = ends[random(ends.length)]
        if (end) add(end[0], at, end[1])
      }
    }
    return sent
  }

  /** The same in the plainest way, of what was sent. */
  function recount(sent: ReturnType<typeof lessonOf>) {
    const tries = new Map<string, { end?: string; score?: number; completed?: boolean }[]>()
    const wrong = new Map<string, number>()
    for (const { verb, object, result } of sent) {
      const [word, name] = [verb.id.split('/').at(-1), object.definition.name.en]
      if (word === 'answered') {
        const answer = `${name}: Answer ${result.response}`
        if (result.response !== 'x') wrong.set(answer, (wrong.get(answer) ?? 0) + 1)
      } else if (word === 'initialized') tries.set(name, [...(tries.get(name) ?? []), {}])
      else {
        const success = result?.success ?? (word === 'passed' ? true : word === 'failed' ? false : undefined)
        const completed = word === 'passed' || word === 'completed'
        const end = success === true ? 'PASSED' : success === false ? 'FAILED' : completed ? 'COMPLETED' : 'OPEN'
        Object.assign(tries.get(name)!.at(-1)!, { end, completed, score: result?.score?.scaled })
      }
    }
    const levels = new Map(
      Array.from(tries, ([name, all]) => {
        const of = all.map(({ end = 'OPEN', ...one }) => ({ end, ...one }))
        const done = of.some(({ end }) => end === 'PASSED' || end === 'COMPLETED')
        const over = all.filter(({ end }, n) => end !== undefined || n < all.length - 1).length
        return [name, { of, done, needsHelp: !done && over >= 3 }]
      }),
    )
    const count = (is: (of: { end: string; completed?: boolean }[]) => boolean) =>
      [...levels.values()].filter(({ of }) => is(of)).length
    const passed = (of: { end: string }[]) => of.some(({ end }) => end === 'PASSED')
    const sessions = [sent.slice(0, 20), sent.slice(20)].map((of) => (of.length - 1) * 10)
    return {
      levels,
      wrong,
      passed: count(passed),
      failed: count((of) => !passed(of) && of.some(({ end }) => end === 'FAILED')),
      completed: count((of) => of.some(({ completed }) => completed)),
      seconds: sessions[0]! + sessions[1]!,
    }
  }

  test('equals a recount of what was sent', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `Pupil ${n}`)
    const { lessonId, classId, pupils } = await openLesson(names)
    let seed = 6
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
    const sent = pupils.map((pupil) => lessonOf(pupil, random))
    for (const one of sent) await send(one)
    const counted = sent.map(recount)
    const report = await results().getReport({ lessonId })
    const titles = report.levels.map(({ name }) => JSON.parse(name).en as string)
    const told = (of: (typeof report.pupils)[0]['wrong']) =>
      of.map(({ question, answer, times }) => [`${JSON.parse(question).en}: ${answer}`, times] as const)
    expect(counted.some(({ levels }) => [...levels.values()].some(({ needsHelp }) => needsHelp))).toBe(true)
    for (const [n, { levels, wrong, ...sums }] of counted.entries()) {
      const row = report.pupils[n]!
      expect(row).toMatchObject({ name: `Pupil ${n}`, more: false, ...sums })
      expect(new Map(told(row.wrong))).toEqual(wrong)
      expect(row.needsHelp.map((at) => titles[at])).toEqual(titles.filter((title) => levels.get(title)?.needsHelp))
      for (const [at, cell] of row.cells.entries()) {
        const of = levels.get(titles[at]!)?.of ?? []
        expect([cell.tries, TryEnd[cell.first], TryEnd[cell.last], cell.firstScore, cell.lastScore]).toEqual([
          of.length,
          of[0]?.end ?? 'UNSPECIFIED',
          of.at(-1)?.end ?? 'UNSPECIFIED',
          of[0]?.score,
          of.at(-1)?.score,
        ])
      }
    }
    const isDone = (end?: string) => end === 'PASSED' || end === 'COMPLETED'
    for (const [at, sums] of report.levels.entries()) {
      const all = counted.flatMap(({ levels }) => levels.get(titles[at]!) ?? [])
      expect(sums).toMatchObject({
        pupils: all.length,
        done: all.filter(({ done }) => done).length,
        doneFirst: all.filter(({ of }) => isDone(of[0]!.end)).length,
        doneLast: all.filter(({ of }) => isDone(of.at(-1)!.end)).length,
        needHelp: all.filter(({ needsHelp }) => needsHelp).length,
      })
    }
    const inAll = Map.groupBy(
      counted.flatMap(({ wrong }) => [...wrong]),
      ([answer]) => answer,
    )
    expect(new Map(told(report.wrong))).toEqual(
      new Map([...inAll].map(([answer, of]) => [answer, of.reduce((sum, [, times]) => sum + times, 0)])),
    )
    expect(report.wrong.map(({ pupils }) => pupils)).toEqual(
      [...inAll.values()].map(({ length }) => length).toSorted((one, other) => other - one),
    )
    // all of it was in one lesson
    const all = await results().getReport({ classId, gameSlug: slug })
    expect({ ...all, opened: report.opened }).toEqual(report)
    expect(all.games).toMatchObject([{ slug, name: 'Quiz' }])
  })
})

test('the report of a sitting has each game of lessons without a gap', async () => {
  const { lessonId, classId, pupils } = await openLesson(['Ann'])
  const maze = await system.game()
  const { sql } = system.database
  await sql(`update game set slug = 'maze', name = 'Maze' where uuid = $1`, [maze.id])
  // the first ended an hour before; the second one ended late, after the next had begun
  const before = await sql<{ id: string }>(
    `insert into lesson (class, game, network, newcomers, opened, closes, ended)
      select $1, g.id, '', false, l.opened - v.since, l.opened, l.opened - v.until
        from game g, lesson l, (values (interval '2 hours', interval '1 hour'), ('20 minutes', '-10 seconds')) v (since, until)
        where g.uuid = $2 and l.uuid = $3 returning uuid as id`,
    [classId, maze.id, lessonId],
  )
  await send([said(pupils[0]!, 'passed', level('a'))])
  const slugsOf = async (id: string) =>
    (await results().getSittingReport({ lessonId: id })).reports.map(({ gameSlug, levels }) => [
      gameSlug,
      levels.length,
    ])
  expect(await slugsOf(lessonId)).toEqual([
    ['maze', 0],
    [slug, 1],
  ])
  expect(await slugsOf(before[1]!.id)).toEqual(await slugsOf(lessonId))
  expect(await slugsOf(before[0]!.id)).toEqual([['maze', 0]])
  expect(await reasonOf(resultsOf(other.session).getSittingReport({ lessonId }))).toBe('NOT_FOUND')
  const headers = { cookie: `session=${school.session}` }
  const text = async (path: string) =>
    (await fetch(`${system.url}/lessons/${lessonId}/report${path}`, { headers })).text()
  expect((await text('.csv')).match(/^Ann.*(Quiz|Maze)$/gm)).toHaveLength(3)
  expect((await text('')).match(/<h2 id="game-\d">(Maze|Quiz)</g)).toHaveLength(2)
  expect((await text(`?pupil=${pupils[0]!.id}`)).match(/<h2>(Maze|Quiz)</g)).toHaveLength(2)
  // the same game twice: each part says when
  await sql(`update lesson set game = (select game from lesson where uuid = $1) where uuid = $2`, [
    lessonId,
    before[1]!.id,
  ])
  expect((await text('')).match(/<h2 id="game-\d">Quiz, <time/g)).toHaveLength(2)
  await send([said(pupils[0]!, 'initialized', { id: 'https://g.example/menu' })])
  expect((await text(`?pupil=${pupils[0]!.id}`)).match(/<table/g)).toHaveLength(1)
})

describe('the pages', () => {
  const page = async (path: string, session = school.session, language = 'en') => {
    const headers = { cookie: `session=${session}`, 'accept-language': language }
    const answer = await fetch(`${system.url}${path}`, { headers, redirect: 'manual' })
    return { status: answer.status, text: (await answer.text()).replaceAll(/\s+/g, ' ') }
  }

  test('tell a teacher who waits, who is stuck and where, and ask for no script', async () => {
    const { lessonId, classId, pupils } = await openLesson(['Ann <b>', 'Ben'])
    await system.database.sql(
      `insert into seat (lesson, token_hash, sign, network, until)
        select $1, h, n, w, now() + interval '1 hour' from (values ($2::bytea, 7, 'here'), ($3::bytea, 8, 'elsewhere')) v (h, n, w)`,
      [lessonId, randomUUID(), randomUUID()],
    )
    await send([1, 2, 3].map(() => said(pupils[0]!, 'failed', level('a'))))
    const [teacher, german, watching] = await Promise.all([
      page(`/lessons/${lessonId}`),
      page(`/lessons/${lessonId}`, school.session, 'de'),
      page(`/lessons/${lessonId}`, observer),
    ])
    expect(teacher.text).toContain('2 pupils wait. 2 pupils are here. 1 pupil is stuck: Ann &lt;b&gt; at Level a.')
    expect(german.text).toContain('2 Kinder warten. 2 Kinder sind da. 1 Kind hängt fest: Ann &lt;b&gt; bei Stufe a.')
    expect(teacher.text).toContain('Let all in (1)')
    expect(teacher.text).toContain('Failed, 3 tries, is here now, stuck')
    expect(teacher.text).toContain('3 tries have ended there, or it was begun 4 minutes ago.')
    for (const path of ['let-in', 'turn-away', 'pause', 'end'])
      expect(teacher.text).toContain(`/lessons/${lessonId}/${path}"`)
    expect(watching.status).toBe(200)
    expect(watching.text).toContain('Alias 1')
    expect(watching.text).not.toMatch(/Ann|Ben|let-in|turn-away|pause/)
    const ofClass = await page(`/classes/${classId}`, observer)
    expect(ofClass.text.match(/Alias 1/g)).toHaveLength(1)
    // what an open page asks for has the same parts
    const now = await page(`/lessons/${lessonId}/now`)
    expect(now.text.match(/data-part/g)).toEqual(teacher.text.match(/data-part/g))
    expect(now.text).not.toContain('<html')
  })

  test('have buttons that work without a script, for teachers', async () => {
    const { lessonId } = await openLesson(['Ann'])
    await system.database.sql(
      `insert into seat (lesson, token_hash, sign, network, until)
        select $1, h, 7, 'here', now() + interval '1 hour' from unnest($2::bytea[]) h`,
      [lessonId, [randomUUID(), randomUUID()]],
    )
    const press = async (action: string, session = school.session, more: Record<string, string> = {}) => {
      const { text } = await page(`/lessons/${lessonId}`)
      const form = new RegExp(`action="/lessons/${lessonId}/${action}".*?</form>`).exec(text)![0]
      const fields = Array.from(form.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g), ([, name, value]) => [
        name!,
        value!,
      ])
      const body = new URLSearchParams({ ...Object.fromEntries(fields), ...more })
      const headers = { cookie: `session=${session}`, origin: system.url }
      return (
        await fetch(`${system.url}/lessons/${lessonId}/${action}`, {
          method: 'POST',
          headers,
          body,
          redirect: 'manual',
        })
      ).status
    }
    const waiting = async () => (await results().getBoard({ lessonId })).waiting.map(({ letIn }) => letIn)
    expect(await waiting()).toEqual([false, false])
    expect(await press('let-in')).toBe(303)
    expect(await waiting()).toEqual([true, true])
    expect(await press('turn-away')).toBe(303)
    expect(await waiting()).toEqual([true])
    expect(await press('pause', school.session, { paused: 'yes' })).toBe(303)
    expect((await page(`/lessons/${lessonId}`)).text).toContain('All games are covered.')
    expect((await page(`/lessons/${lessonId}/projector`)).text).toContain('Look at your teacher')
    // the form of a teacher with the session of an observer
    expect(await press('pause', observer)).toBe(403)
  })

  test('show no name on the wall, but the code and counts', async () => {
    const { lessonId, pupils } = await openLesson(['Ann', 'Ben'])
    await send([said(pupils[0]!, 'passed', level('a')), said(pupils[1]!, 'initialized', level('a'))])
    await system.database.sql(`update lesson set code = '123456' where uuid = $1`, [lessonId])
    for (const path of ['projector', 'projector/now']) {
      const { text } = await page(`/lessons/${lessonId}/${path}`)
      expect(text).toContain('123 456')
      expect(text).toContain('<h1 data-part>Quiz</h1>')
      expect(text).toContain('2 pupils are in')
      expect(text).toContain('1 done, 2 are there')
      expect(text).not.toMatch(/Ann|Ben|Alias/)
    }
  })

  test('have a report of the class, of a pupil for its parents, and as a file', async () => {
    const { lessonId, classId, pupils } = await openLesson(['Ann', '=Ben'])
    const wrong = { id: 'https://g.example/q', definition: { name: { en: '2 + 2?' } } }
    await send([
      ...['failed', 'failed', 'failed'].map((verb) => said(pupils[0]!, verb, level('a'))),
      said(pupils[0]!, 'answered', wrong, { result: { success: false, response: '5' } }),
      said(pupils[0]!, 'passed', level('b'), { result: { score: { scaled: 0.5 } } }),
    ])
    const report = await page(`/lessons/${lessonId}/report`)
    expect(report.text).toContain('<strong>Ann</strong> needs help with Level a.')
    expect(report.text).toContain('2 + 2?')
    const one = await page(`/classes/${classId}/report?game=${slug}&pupil=${pupils[0]!.id}`, school.session, 'de')
    expect(one.text).toContain('Ann hat 2 Level probiert und 1 geschafft. Beim ersten Versuch geschafft: 1.')
    for (const fact of ['Oak School', '4b', 'Quiz']) expect(one.text).toContain(`<dd>${fact}</dd>`)
    expect(one.text).toContain('bestanden, 50 %')
    expect(one.text).not.toContain('=Ben')
    const all = await page(`/lessons/${lessonId}/report?pupil=all`)
    expect(all.text.match(/class="pupil-sheet"/g)).toHaveLength(2)
    expect(all.text).toContain('=Ben has not played.')
    const file = await page(`/lessons/${lessonId}/report.csv`)
    expect(file.text).toContain("'=Ben,,,0,")
    expect(file.text).toContain('Ann,Level a,https://g.example/a,3,failed,failed,,,yes,,,,,Quiz')
    const audited = await system.database.sql(`select details from audit_entry where action = 'lesson.download-report'`)
    expect(audited).toContainEqual({ details: { class: classId } })
  })

  test('are of the school alone', async () => {
    const { lessonId, classId } = await openLesson(['Ann'])
    const paths = ['', '/now', '/projector', '/projector/now', '/report', '/report.csv'].map(
      (one) => `/lessons/${lessonId}${one}`,
    )
    for (const path of [
      ...paths,
      `/classes/${classId}/report?game=${slug}`,
      `/classes/${classId}/report.csv?game=${slug}`,
    ]) {
      expect([path, (await page(path, other.session)).status]).toEqual([path, 404])
      expect([path, (await page(path, fox.session)).status]).toEqual([path, 303])
      expect([path, (await page(path, 'nobody')).status]).toEqual([path, 303])
    }
    expect((await page(`/lessons/${lessonId}/end`, observer)).status).toBe(403)
  })
})
