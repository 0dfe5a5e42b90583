import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { MemberRole } from '../gen/lrs/v1/members_pb.js'
import { SeatState } from '../gen/lrs/v1/lessons_pb.js'
import type { RosterChanges } from '../gen/lrs/v1/rosters_pb.js'
import { csrfToken } from '../portal/web/session-cookie.ts'
import { lessons as limits } from '../shared/limits.ts'
import { reasonOf } from './support/failures.ts'
import { addMadeUpLanguage, madeUp, untranslated } from './support/made-up-language.ts'
import english from '../portal/texts/en.json' with { type: 'json' }
import { largeSchool, rosterFiles, rosterZip, type RosterSchool } from './support/roster.ts'
import { startPortalSystem, type PortalSystem } from './support/portal.ts'
import type { Studio } from './support/studios.ts'
import { tokens } from './support/system.ts'
import { addStudio } from './support/studios.ts'
import { bearer } from './support/xapi.ts'

/** A school with a class, two published games, and browsers without scripts. */
let system: PortalSystem
let [school, other] = [] as unknown as [Studio, Studio]
let slugs: string[]
let gameIds: string[]
const here = '192.0.2.1'
const away = '198.51.100.7'
beforeAll(async () => {
  system = await startPortalSystem()
  ;[school, other] = [
    await addStudio(system, 'Oak School', { kind: 'school' }),
    await addStudio(system, 'Elm School', { kind: 'school' }),
  ]
  const fox = await system.studio('Blue Fox')
  const made = [await system.publish(fox, 'Quiz'), await system.publish(fox, 'Maze')]
  slugs = made.map(({ slug }) => slug)
  gameIds = made.map(({ gameId }) => gameId)
})
afterAll(() => system.close())

const guest = () => system.connections[0]!.as(bearer(tokens.portal)).lessons
const lessons = (of: Studio = school) => of.on().lessons

interface Opened {
  readonly lessonId: string
  readonly classId: string
  readonly code: string
  readonly pupilIds: string[]
}

/** A lesson of a new class, opened here. */
async function open({ names = ['Ada', 'Zoë'], newcomers = false, senderIp = here } = {}): Promise<Opened> {
  const { classId } = await school.on().schools.createSchoolClass({ name: '4b', pupilNames: names })
  const { lesson } = await lessons().openLesson({ classId, gameSlug: slugs[0]!, newcomers, senderIp })
  const { pupils } = await school.on().schools.getSchoolClass({ classId })
  return { lessonId: lesson!.lessonId, classId, code: lesson!.code, pupilIds: pupils.map(({ pupilId }) => pupilId) }
}

const join = async (code: string, senderIp = here) => (await guest().joinLesson({ code, senderIp })).seatToken
const stateOf = async (seatToken: string) => (await guest().getSeat({ seatToken, isOpen: true })).state
const idOf = async (seatToken: string) =>
  (
    await system.database.sql<{ uuid: string }>(
      `select uuid from seat where token_hash = sha256(convert_to($1, 'utf8'))`,
      [seatToken],
    )
  )[0]!.uuid

/** A seat that was let in. */
async function seated({ lessonId, code }: Opened): Promise<string> {
  const seatToken = await join(code)
  await lessons().letIn({ lessonId, seatIds: [await idOf(seatToken)] })
  return seatToken
}

async function playing(lesson: Opened, name = 'ada', picture = 3) {
  const seatToken = await seated(lesson)
  await guest().nameSeat({ seatToken, name, picture })
  const { launch, gameSlug } = await guest().startSeat({ seatToken })
  return { seatToken, launch: launch!, gameSlug }
}

/** Whether the launch token still works. */
const reports = async ({ token }: { token: string }) => {
  const { status } = await fetch(`${system.urls[0]!}/xapi/statements?limit=1`, {
    headers: { authorization: `Bearer ${token}`, 'x-experience-api-version': '1.0.3' },
  })
  return status
}

test('a child waits, is let in, says who it is and plays; nothing is shown before', async () => {
  const lesson = await open()
  const seatToken = await join(` ${lesson.code.slice(0, 3)} ${lesson.code.slice(3)} `)
  const waiting = await guest().getSeat({ seatToken, isOpen: true })
  expect(waiting).toMatchObject({ state: SeatState.WAITING, gameSlug: '', gameName: '', name: '', paused: false })
  expect(waiting.sign).toBeLessThan(limits.signs)
  const who = { seatToken, name: 'ADA', picture: 3 }
  expect(await reasonOf(guest().nameSeat(who))).toBe('NOT_FOUND')
  expect(await reasonOf(guest().startSeat({ seatToken }))).toBe('NOT_FOUND')
  expect(await lessons().letIn({ lessonId: lesson.lessonId })).toMatchObject({ seats: 1 })
  expect(await guest().getSeat({ seatToken })).toMatchObject({ state: SeatState.LET_IN, gameName: 'Quiz', name: '' })
  await guest().nameSeat(who)
  expect(await guest().getSeat({ seatToken })).toMatchObject({ state: SeatState.NAMED, name: 'Ada' })
  const { launch, gameSlug } = await guest().startSeat({ seatToken })
  expect([gameSlug, launch!.gameId]).toEqual([slugs[0], gameIds[0]])
  const [pupil] = await system.database.sql<{ alias: string }>('select alias from pupil where uuid = $1', [
    lesson.pupilIds[0],
  ])
  // neither the name nor the nickname of the class, which could tie its accounts in two games to one pupil
  expect([pupil!.alias, 'Ada']).not.toContain(launch!.learnerName)
  expect(await reports(launch!)).toBe(200)
})

test('a wrong picture and a wrong name have one answer; five of them end the seat', async () => {
  const lesson = await open()
  await playing(lesson, 'ada', 3)
  const seatToken = await seated(lesson)
  const told = new Set<string>()
  for (const [name, picture] of [
    ['ada', 4],
    ['nobody', 3],
    ['', 3],
    ['ada', 0],
    ['ada', 1],
  ] as const) {
    expect(await stateOf(seatToken)).toBe(SeatState.LET_IN)
    told.add(
      await guest()
        .nameSeat({ seatToken, name, picture })
        .then(
          () => 'in',
          (error: Error) => error.message,
        ),
    )
  }
  expect([...told]).toEqual([expect.stringContaining('must be a name of the class')])
  expect(await stateOf(seatToken)).toBe(SeatState.UNSPECIFIED)
})

test('an unknown name is a new pupil only where newcomers may join', async () => {
  const lesson = await open({ names: ['Ada'], newcomers: true })
  const { launch } = await playing(lesson, ' Ben  B ', 1)
  const { pupils } = await school.on().schools.getSchoolClass({ classId: lesson.classId })
  expect(pupils.map(({ name }) => name)).toEqual(['Ada', 'Ben B'])
  expect([pupils[1]!.alias, pupils[1]!.name]).not.toContain(launch.learnerName)
  expect(await reasonOf(playing(lesson, 'ben b', 2))).toBe('INVALID')
})

test('one press lets in who is in the network of the lesson, or in one of which somebody was let in', async () => {
  const { lessonId, code } = await open()
  const strangers = [await join(code, away), await join(code, away), await join(code, '203.0.113.9')]
  const child = await join(code)
  expect(await lessons().letIn({ lessonId })).toMatchObject({ seats: 1 })
  expect(await Promise.all([child, ...strangers].map(stateOf))).toEqual([2, 1, 1, 1])
  expect(await lessons().letIn({ lessonId, seatIds: [await idOf(strangers[0]!)] })).toMatchObject({ seats: 1 })
  expect(await lessons().letIn({ lessonId })).toMatchObject({ seats: 1 })
  expect(await Promise.all([child, ...strangers].map(stateOf))).toEqual([2, 2, 2, 1])
})

test('wrong codes count by network; there, a right code of a lesson of this network still works', async () => {
  const from = '192.0.2.44'
  const { code } = await open({ senderIp: from })
  const elsewhere = await open()
  const wrong = String((Number(code) + 1) % 1e6).padStart(6, '0')
  for (let n = 0; n < 4; n++) expect(await reasonOf(join(wrong, from))).toBe('INVALID')
  expect(await reasonOf(join(wrong, from))).toBe('RATE_LIMITED')
  expect(await reasonOf(join(elsewhere.code, from))).toBe('RATE_LIMITED')
  expect(await stateOf(await join(code, from))).toBe(SeatState.WAITING)
  // right codes do not count, and other networks go on
  for (let n = 0; n < 6; n++) expect(await stateOf(await join(code, away))).toBe(SeatState.WAITING)
})

test('who was turned away is a stranger again, and so is its network', async () => {
  const { lessonId, code } = await open()
  const seatId = await idOf(await join(code, away))
  await lessons().letIn({ lessonId, seatIds: [seatId] })
  await lessons().turnAway({ lessonId, seatId })
  await join(code, away)
  expect(await lessons().letIn({ lessonId })).toMatchObject({ seats: 0 })
})

test('seats that have ended leave room for others', async () => {
  const { lessonId, code } = await open()
  await system.database.sql(
    `insert into seat (lesson, token_hash, network, sign, ended, until)
      select $1::uuid, sha256(convert_to($1::text || n, 'utf8')), '', 0, now(), now() from generate_series(1, $2::int) n`,
    [lessonId, limits.seats],
  )
  expect(await stateOf(await join(code))).toBe(SeatState.WAITING)
})

test('at most 40 wait who are elsewhere; those in the room still come in', async () => {
  const { code, lessonId } = await open()
  for (let n = 0; n < limits.waitingElsewhere; n++) await join(code, `198.51.100.${n}`)
  expect(await reasonOf(join(code, away))).toBe('RATE_LIMITED')
  expect(await stateOf(await join(code))).toBe(SeatState.WAITING)
  expect(await lessons().letIn({ lessonId })).toMatchObject({ seats: 1 })
})

test('a card takes a seat at once in the open lesson of its class, and in no other', async () => {
  const lesson = await open()
  const { cards } = await school.on().schools.renewCards({ classId: lesson.classId, pupilIds: lesson.pupilIds })
  const { code } = cards[0]!
  const { seatToken } = await guest().joinByCard({ code: code.toLowerCase(), senderIp: away })
  expect(await guest().getSeat({ seatToken })).toMatchObject({ state: SeatState.NAMED, name: 'Ada' })
  await lessons().endLesson({ lessonId: lesson.lessonId })
  expect(await stateOf(seatToken)).toBe(SeatState.UNSPECIFIED)
  expect(await reasonOf(guest().joinByCard({ code, senderIp: away }))).toBe('NOT_FOUND')
})

test('the same pupil at a second seat ends the first; in each game it has one learner', async () => {
  const lesson = await open()
  const first = await playing(lesson)
  const second = await playing(lesson)
  expect(await stateOf(first.seatToken)).toBe(SeatState.UNSPECIFIED)
  expect([await reports(first.launch), await reports(second.launch)]).toEqual([401, 200])
  expect(second.launch.actor).toBe(first.launch.actor)
  await lessons().changeLesson({ lessonId: lesson.lessonId, gameSlug: slugs[1]!, paused: true })
  expect(await guest().getSeat({ seatToken: second.seatToken })).toMatchObject({ gameSlug: slugs[1], paused: true })
  const { launch } = await guest().startSeat({ seatToken: second.seatToken })
  expect([launch!.gameId, launch!.actor === first.launch.actor]).toEqual([gameIds[1], false])
  expect([await reports(second.launch), await reports(launch!)]).toEqual([401, 200])
  // the game before is a lesson of its own, which has ended
  const listed = (await lessons().listLessons({ classId: lesson.classId })).lessons
  expect(listed.map(({ lessonId, gameSlug, ended }) => [lessonId === lesson.lessonId, gameSlug, ended > 0n])).toEqual([
    [true, slugs[1], false],
    [false, slugs[0], true],
  ])
})

test.each([
  ['the lesson ends', ({ lessonId }: Opened) => lessons().endLesson({ lessonId })],
  [
    'it is turned away',
    async ({ lessonId }: Opened, seatToken: string) => lessons().turnAway({ lessonId, seatId: await idOf(seatToken) }),
  ],
  ['it leaves', (_: Opened, seatToken: string) => guest().leaveSeat({ seatToken })],
  [
    'the next lesson of the class opens',
    ({ classId }: Opened) => lessons().openLesson({ classId, gameSlug: slugs[0]!, senderIp: here }),
  ],
  [
    'four hours are over',
    async ({ lessonId }: Opened) => {
      await system.database.sql(`update lesson set closes = now() where uuid = $1`, [lessonId])
      await system.cores[0]!.store.lessons.close(10)
    },
  ],
  [
    'its school is suspended',
    async () => {
      await system.database.sql('update studio set suspended = now() where id = $1', [school.id])
      await system.cores[0]!.store.lessons.close(100)
      await system.database.sql('update studio set suspended = null where id = $1', [school.id])
    },
  ],
  [
    'its pupil is removed',
    ({ classId, pupilIds }: Opened) => school.on().schools.removePupil({ classId, pupilId: pupilIds[0]! }),
  ],
  [
    'nothing was heard of its page for ten minutes',
    async (_: Opened, seatToken: string) => {
      await system.database.sql(`update seat set until = now() where uuid = $1`, [await idOf(seatToken)])
      await system.cores[0]!.store.seats.endLeft(10)
    },
  ],
] as const)('a seat and its session end at once when %s', async (_, end) => {
  const lesson = await open()
  const { seatToken, launch } = await playing(lesson)
  await end(lesson, seatToken)
  expect([await stateOf(seatToken), await reports(launch)]).toEqual([SeatState.UNSPECIFIED, 401])
})

test('the seat of a closed page ends in 15 seconds, unless a page of it is open again', async () => {
  const seatToken = await seated(await open())
  const left = async () => {
    const [row] = await system.database.sql<{ s: number }>(
      'select extract(epoch from until - now())::float8 as s from seat where uuid = $1',
      [await idOf(seatToken)],
    )
    return row!.s
  }
  await guest().leaveSeat({ seatToken, soon: true })
  expect(await left()).toBeLessThanOrEqual(limits.closedSeconds)
  expect(await guest().getSeat({ seatToken })).toMatchObject({ isLeft: true, state: SeatState.LET_IN })
  await guest().getSeat({ seatToken, isOpen: true })
  expect(await left()).toBeGreaterThan(500)
})

test('another school finds no lesson, and an ended one cannot go on', async () => {
  const { lessonId, classId, code } = await open()
  const seatId = await idOf(await join(code))
  const calls = (of: Studio) => [
    () => lessons(of).changeLesson({ lessonId, paused: true }),
    () => lessons(of).letIn({ lessonId }),
    () => lessons(of).turnAway({ lessonId, seatId }),
    () => lessons(of).endLesson({ lessonId }),
  ]
  for (const call of calls(other)) expect(await reasonOf(call())).toBe('NOT_FOUND')
  expect(await reasonOf(lessons(other).listLessons({ classId }))).toBe('NOT_FOUND')
  const wanted = { classId, gameSlug: slugs[0]!, senderIp: here }
  expect(await reasonOf(lessons(other).openLesson(wanted))).toBe('NOT_FOUND')
  expect(await reasonOf(lessons().openLesson({ ...wanted, gameSlug: 'nothing' }))).toBe('NOT_FOUND')
  expect((await lessons().listLessons({ classId })).lessons).toMatchObject([{ lessonId, code, ended: 0n }])
  await lessons().endLesson({ lessonId })
  for (const call of calls(school)) expect(await reasonOf(call())).toBe('NOT_FOUND')
  expect((await lessons().listLessons({ classId })).lessons).toMatchObject([{ lessonId, code: '' }])
  expect(await reasonOf(join(code))).toBe('INVALID')
})

describe('a roster', () => {
  const small = {
    classes: { '4a': [1, 2, 5], '4b': [2, 3] },
    names: { 1: 'Ada Li', 2: 'Bo Ng', 3: 'Cy Ko', 5: 'Eve Su' },
  }
  const read = (of: Studio, school: RosterSchool) => of.on().rosters.readRoster({ zip: rosterZip(rosterFiles(school)) })
  const confirm = (of: Studio, { rosterId, fingerprint }: RosterChanges, leavers = 0) =>
    of.on().rosters.confirmRoster({ rosterId, fingerprint, leavers })
  async function take(of: Studio, school: RosterSchool, leavers = 0) {
    const { changes } = await read(of, school)
    return (await confirm(of, changes!, leavers)).now
  }
  const newSchool = () => addStudio(system, 'Ash School', { kind: 'school' })
  /** Names by class. */
  async function pupilsOf(of: Studio) {
    const { classes } = await of.on().schools.listSchoolClasses({})
    const found = await Promise.all(classes.map(({ classId }) => of.on().schools.getSchoolClass({ classId })))
    return new Map(found.map((one) => [one.class!.name, one.pupils]))
  }
  const namesOf = async (of: Studio) =>
    Object.fromEntries(Array.from(await pupilsOf(of), ([name, all]) => [name, all.map((one) => one.name)]))

  test('of 1,000 pupils makes the classes, and the next one changes what is new', async () => {
    const of = await newSchool()
    const classes = largeSchool()
    expect(await take(of, { classes })).toBeUndefined()
    const before = await pupilsOf(of)
    expect([before.size, [...before.values()].flat().length]).toEqual([40, 1_000])
    expect((await read(of, { classes })).changes).toMatchObject({ changes: [], before: 1_000 })
    const moved = {
      ...classes,
      'Class 1': classes['Class 1']!.slice(1),
      'Class 2': [...classes['Class 2']!.slice(1), 1, 1_001],
    }
    const { changes } = await read(of, { classes: moved, names: { 40: 'Grace Hopper' } })
    expect(changes).toMatchObject({ joins: 2, moves: 1, renames: 1, leaves: 1, manyLeave: false })
    await confirm(of, changes!)
    const after = await pupilsOf(of)
    const first = before.get('Class 1')!.find(({ name }) => name === 'Given1')!
    expect(after.get('Class 2')!.find(({ name }) => name === 'Given1')!.pupilId).toBe(first.pupilId)
    const kept = await system.database.sql(
      'select * from pupil p join pupil_identity i on i.pupil = p.uuid where school = $1',
      [of.id],
    )
    expect(JSON.stringify(kept)).not.toMatch(/secret|Family|user-/)
    expect(await system.database.sql('select from roster where school = $1', [of.id])).toEqual([])
  })

  test('changes nothing when the classes have changed since, and nothing by halves', async () => {
    const of = await newSchool()
    await take(of, small)
    const more = { ...small, classes: { '4a': [1, 2, 5], '4b': [2, 3, 4] }, names: { ...small.names, 4: 'Di Ro' } }
    const { changes } = await read(of, more)
    const [bo] = (await pupilsOf(of)).get('4b')!
    await of.on().schools.removePupil({ classId: await classIn(of, '4b'), pupilId: bo!.pupilId })
    const { now } = await confirm(of, changes!)
    expect(now).toMatchObject({ joins: 2, rosterId: changes!.rosterId })
    expect(await namesOf(of)).toEqual({ '4a': ['Ada', 'Bo', 'Eve'], '4b': ['Cy'] })
    await system.database.sql(`alter table pupil add constraint no_di check (name <> 'Di')`)
    onTestFinished(async () => void (await system.database.sql('alter table pupil drop constraint if exists no_di')))
    await expect(confirm(of, now!)).rejects.toThrow()
    expect(system.errors.splice(0)).toHaveLength(1)
    expect(await namesOf(of)).toEqual({ '4a': ['Ada', 'Bo', 'Eve'], '4b': ['Cy'] })
    await system.database.sql('alter table pupil drop constraint no_di')
    await confirm(of, now!)
    expect(await namesOf(of)).toEqual({ '4a': ['Ada', 'Bo', 'Eve'], '4b': ['Bo', 'Cy', 'Di'] })
    expect(await reasonOf(confirm(of, now!))).toBe('NOT_FOUND')
  })

  test('wants the number of leavers when they are more than a tenth', async () => {
    const of = await newSchool()
    await take(of, small)
    const fewer = { ...small, classes: { '4a': [1, 2], '4b': [2, 3] } }
    expect(await take(of, fewer)).toMatchObject({ leaves: 1, before: 5, manyLeave: true })
    expect(await take(of, fewer, 2)).toMatchObject({ leaves: 1 })
    expect((await namesOf(of))['4a']).toContain('Eve')
    expect(await take(of, fewer, 1)).toBeUndefined()
    expect((await namesOf(of))['4a']).toEqual(['Ada', 'Bo'])
  })

  test('has one consent of a parent for a child in two classes, also in one that it comes into later', async () => {
    const of = await newSchool()
    await take(of, { ...small, classes: { '4a': [1, 2], '4b': [2] } })
    await of.on().parentConsents.setConsentRule({ parents: true, text: 'Pupils play.' })
    const say = async (name: string, agreed: boolean) => {
      const [classId, pupils] = [await classIn(of, name), (await pupilsOf(of)).get(name)!]
      const { pupilId } = pupils.find((one) => one.name === 'Bo')!
      return of.on().parentConsents.noteConsent({ classId, pupilId, agreed })
    }
    const agreed = () =>
      system.database.sql<{ class: string; agreed: number | null }>(
        `select c.name as class, p.agreed from pupil p join school_class c on c.uuid = p.class
          where p.name = 'Bo' and c.school = $1 order by 1`,
        [of.id],
      )
    await say('4a', true)
    expect(await agreed()).toMatchObject([{ agreed: 1 }, { agreed: 1 }])
    await take(of, { ...small, classes: { '4a': [1, 2], '4b': [2], '4c': [2] } })
    expect((await agreed())[2]).toEqual({ class: '4c', agreed: 1 })
    await say('4c', false)
    expect(await agreed()).toMatchObject([{ agreed: null }, { agreed: null }, { agreed: null }])
  })

  test('has one account in a game for a child in two classes, for as long as it is in one', async () => {
    const of = await newSchool()
    await take(of, small)
    const learners: string[] = []
    for (const name of ['4a', '4b']) {
      const classId = await classIn(of, name)
      const { lesson } = await lessons(of).openLesson({ classId, gameSlug: slugs[0]!, senderIp: here })
      const seatToken = await join(lesson!.code)
      await lessons(of).letIn({ lessonId: lesson!.lessonId, seatIds: [await idOf(seatToken)] })
      await guest().nameSeat({ seatToken, name: 'Bo', picture: 2 })
      learners.push((await guest().startSeat({ seatToken })).launch!.actor)
    }
    expect(learners[1]).toBe(learners[0])
    const links = () =>
      system.database.sql<{ kind: string }>(
        `select l.kind from pupil_identity i join pupil_learner k on k.pupil = i.pupil join learner l on l.uuid = k.learner
          where i.school = $1`,
        [of.id],
      )
    await take(of, { ...small, classes: { '4a': [1, 5], '4b': [2, 3] } }, 1)
    const sweep = async () => {
      await system.database.sql(`update pupil set gone = gone - interval '31 days'`)
      await system.cores[0]!.store.schoolClasses.sweepGone(100)
    }
    expect(await links()).toHaveLength(2)
    await sweep()
    expect(await links()).toEqual([{ kind: 'invited' }])
    // the same person comes back as the same learner until it is erased
    await take(of, small)
    await take(of, { ...small, classes: { '4a': [1, 5], '4b': [3] } }, 2)
    expect(await links()).toEqual([{ kind: 'invited' }])
    await sweep()
    expect(await links()).toEqual([])
  })

  const classIn = async (of: Studio, name: string) =>
    (await of.on().schools.listSchoolClasses({})).classes.find((one) => one.name === name)!.classId

  test('is sent, corrected and confirmed on a page of the owner, and by nobody else', async () => {
    const of = await newSchool()
    const send = async (who: Studio, files: ReturnType<typeof rosterFiles>, language = 'en') => {
      const form = new FormData()
      form.set('csrf', csrfToken(who.session))
      form.set('zip', new Blob([new Uint8Array(rosterZip(files))]), 'school.zip')
      const headers = { cookie: `session=${who.session}`, origin: system.url, 'accept-language': language }
      const response = await fetch(`${system.url}/roster`, { method: 'POST', headers, body: form })
      return { status: response.status, text: await response.text() }
    }
    const files = rosterFiles(small) as Record<string, string>
    const wrong = { ...files, 'users.csv': files['users.csv']!.replace('Ada', '') }
    expect((await send(of, wrong)).text).toMatch(
      /users.csv, line 3, column givenName[^]*The value is missing. Fill it in/,
    )
    expect((await send(of, wrong, 'de')).text).toMatch(/users.csv, Zeile 3, Spalte givenName[^]*Der Wert fehlt/)
    const { text } = await send(of, files)
    expect(text).toMatch(/Not read: demographics.csv[^]*New classes<\/dt><dd>2/)
    const value = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(text)![1]!
    const body = new URLSearchParams(['csrf', 'roster_id', 'fingerprint'].map((name) => [name, value(name)]))
    const headers = { cookie: `session=${of.session}`, origin: system.url }
    const confirmed = await fetch(`${system.url}/roster/confirm`, { method: 'POST', redirect: 'manual', headers, body })
    expect([confirmed.status, confirmed.headers.get('location')]).toEqual([303, '/roster?done=yes'])
    expect(await namesOf(of)).toEqual({ '4a': ['Ada', 'Bo', 'Eve'], '4b': ['Bo', 'Cy'] })
    const { code } = await of.on().members.inviteMember({ role: MemberRole.TEACHER })
    const teacher = await addStudio(system, 'Owl')
    await teacher.on().members.acceptMemberInvitation({ code })
    expect((await send(teacher, files)).status).toBe(403)
    expect(await reasonOf(read(teacher, small))).toBe('FORBIDDEN')
    const fox = await addStudio(system, 'Red Fox')
    expect(await reasonOf(read(fox, small))).toBe('FORBIDDEN')
  })
})

/** A browser without scripts, which keeps its cookies. */
function browser(own?: string) {
  const cookies = new Map<string, string>(own === undefined ? [] : [['session', own]])
  return async (path: string, form?: Record<string, string>, language = 'en') => {
    const response = await fetch(system.url + path, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: {
        cookie: Array.from(cookies, (pair) => pair.join('=')).join('; '),
        'accept-language': language,
        ...(form ? { origin: system.url } : {}),
      },
      body: form && new URLSearchParams(form),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!
      if (/Expires=Thu, 01 Jan 1970/.test(cookie)) cookies.delete(name!)
      else cookies.set(name!, value!)
    }
    return { status: response.status, text: await response.text(), to: response.headers.get('location'), cookies }
  }
}

test('in a browser: code, wait, name, game; pause; the next game; and the next child finds nothing', async () => {
  const { lessonId, code } = await open({ senderIp: '127.0.0.1' })
  const send = browser()
  expect((await send('/')).text).toContain('I have a code')
  expect((await send('/join', undefined, 'de')).text).toContain('Welchen Code hast du?')
  const wrong = await send('/join', { code: '12345' })
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('This code is wrong')])
  const joined = await send('/join', { code })
  expect([joined.to, joined.cookies.has('seat')]).toEqual(['/join/wait', true])
  expect((await send('/join')).to).toBe('/join/wait')
  const waits = await send('/join/wait')
  expect(waits.text).toContain('Wait for your teacher')
  expect(waits.text).not.toMatch(/Quiz|4b|Ada/)
  const state = async () => JSON.parse((await send('/join/seat.json')).text) as object
  expect(await state()).toEqual({ at: 'waiting', game: '', paused: false })
  await lessons().letIn({ lessonId })
  const asked = await send('/join/wait')
  expect(asked.text.match(/name="picture"/g)).toHaveLength(limits.pictures)
  expect(asked.text).not.toMatch(/Ada|Zoë/)
  const refused = await send('/join/name', { name: 'Eve', picture: '2' })
  expect(refused.text).toContain('do not fit together')
  const game = `/play/${slugs[0]!}/game`
  expect((await send('/join/name')).to).toBe('/join/wait')
  expect((await send('/join/name', { name: 'zoe', picture: '2' })).to).toBe(game)
  const page = await send(game)
  expect(page.text).toContain('I am done')
  expect(page.text).toMatch(/<p>Zoë · /)
  expect(page.text).not.toContain('/data?as=session')
  await lessons().changeLesson({ lessonId, gameSlug: slugs[1]!, paused: true })
  expect(await state()).toEqual({ at: 'named', game: slugs[1], paused: true })
  expect((await send(game)).to).toBe('/join/wait')
  expect((await send('/join/wait')).text).toContain('Hello Zoë')
  expect((await send('/join/play', {})).to).toBe(`/play/${slugs[1]!}/game`)
  const done = await send('/join/leave', {})
  expect([done.to, [...done.cookies]]).toEqual(['/join?done=left', []])
  expect((await send(game)).to).toBe(`/play/${slugs[0]!}`)
  expect(await state()).toMatchObject({ at: 'over' })
})

test('in a browser: a card, a closed page, and links of members as they were before', async () => {
  const { lessonId, classId, pupilIds } = await open({ senderIp: '127.0.0.1' })
  const { cards } = await school.on().schools.renewCards({ classId, pupilIds })
  const { code } = cards[0]!
  const send = browser()
  expect((await send(`/c/${code}`)).text).toContain('Start with your card')
  expect((await send(`/c/${code}`, {})).to).toBe(`/play/${slugs[0]!}/game`)
  expect((await send('/join/closed', {})).status).toBe(204)
  expect((await send('/join')).text).toContain('What is the code?')
  // the field takes the code of a card, too
  expect((await send('/join', { code })).to).toBe(`/play/${slugs[0]!}/game`)
  await lessons().endLesson({ lessonId })
  const over = await send(`/play/${slugs[0]!}/game`)
  expect([over.to, [...over.cookies]]).toEqual(['/join?done=over', []])
  expect((await send('/join?done=over')).text).toContain('You are no longer in the lesson.')
  const late = await send(`/c/${code}`, {})
  expect([late.status, late.text]).toEqual([404, expect.stringContaining('Start with your card')])
  const member = randomUUID()
  expect((await send(`/join?code=${member}`)).to).toBe(`/members/join?code=${member}`)
})

test('in a browser: a parent agrees and withdraws by the link of a slip', async () => {
  const { parentConsents } = school.on()
  await parentConsents.setConsentRule({ parents: true, text: 'Pupils play.' })
  onTestFinished(() => parentConsents.setConsentRule({ parents: false, text: '' }).then(() => {}))
  const { classId, code } = await open({ names: ['Ada'], senderIp: '127.0.0.1' })
  const teacher = browser(school.session)
  const csrf = /name="csrf" value="([^"]+)"/.exec((await teacher(`/classes/${classId}`)).text)![1]!
  const sheet = await teacher(`/classes/${classId}/slips`, { csrf })
  const path = /href="[^"]*(\/parent\/[\w-]+)"/.exec(sheet.text)![1]!
  const send = browser()
  const version = /name="version" value="(\d+)"/.exec((await send(path)).text)![1]!
  const empty = await send(path, { version, parent_name: '' })
  expect([empty.status, empty.text]).toEqual([400, expect.stringContaining('Write your name')])
  await send('/join', { code })
  await lessons().letIn({ lessonId: (await lessons().listLessons({ classId })).lessons[0]!.lessonId })
  expect((await send('/join/name', { name: 'Ada', picture: '2' })).text).toContain('Ask your teacher.')
  expect((await send(path, { version, parent_name: 'Eve <b>' })).to).toBe(path)
  expect((await send(path)).text).toContain('Eve &lt;b&gt; agreed on')
  expect((await send('/join/name', { name: 'Ada', picture: '2' })).to).toBe(`/play/${slugs[0]!}/game`)
  expect((await send(`${path}/withdraw`, { erase: 'yes' })).to).toBe(path)
  expect((await send(path)).text).toContain('was withdrawn on')
  expect((await send(`/play/${slugs[0]!}/game`)).to).toBe('/join?done=over')
})

test('pages of teachers and of joining have no text that is not in the catalogue', async () => {
  onTestFinished(addMadeUpLanguage(english))
  const { classId, lessonId, code, pupilIds } = await open()
  const seatToken = await join(code)
  const asked = async (path: string, cookie: string) => {
    const headers = { cookie: `language=${madeUp}; ${cookie}` }
    const body = await (await fetch(system.url + path, { headers })).text()
    const known = [code.slice(0, 3), new URL(system.url).host, 'English', 'Deutsch', 'Games LRS', 'Oak School']
    expect([path, body.includes(`<html lang="${madeUp}"`)]).toEqual([path, true])
    const names = ['Quiz', 'Maze', 'Ada', 'Zoë', '4b', ...(await aliasesOf(classId))]
    return untranslated(body, [...known, ...names, `${school.slug}@example.org`, '→', '←'])
  }
  const own = `session=${school.session}`
  const { parentConsents } = school.on()
  await parentConsents.setConsentRule({ parents: true, text: 'Ada' })
  onTestFinished(() => parentConsents.setConsentRule({ parents: false, text: '' }).then(() => {}))
  const { links } = await parentConsents.makeParentLinks({ classId })
  await parentConsents.noteConsent({ classId, pupilId: links[1]!.pupilId, agreed: true })
  const pages = [
    ['/sign-up?as=teacher', ''],
    ['/start?as=teacher', own],
    ['/classes', own],
    ['/roster', own],
    [`/classes/${classId}`, own],
    [`/classes/${classId}/pupils/${pupilIds[0]!}`, own],
    [`/classes/${classId}/cards`, own],
    [`/classes/${classId}/remove`, own],
    [`/lessons/${lessonId}`, own],
    [`/lessons/${lessonId}/projector`, own],
    [`/lessons/${lessonId}/report`, own],
    ['/join', ''],
    ['/join/wait', `seat=${seatToken}`],
    ['/c/ABCD', ''],
    ['/school/consent', own],
    ['/privacy', own],
    [`/classes/${classId}/pupils/${links[1]!.pupilId}`, own],
    [`/parent/${links[0]!.code}`, ''],
    [`/parent/${links[1]!.code}`, ''],
    ['/parent/none', ''],
  ] as const
  for (const [path, cookie] of pages) expect([path, await asked(path, cookie)]).toEqual([path, []])
})

const aliasesOf = async (classId: string) =>
  (await school.on().schools.getSchoolClass({ classId })).pupils.map(({ alias }) => alias)
