import { Code, ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MemberRole, OrganisationKind } from '../gen/lrs/v1/members_pb.js'
import { Reason } from '../gen/lrs/v1/failure_pb.js'
import { failureOf } from './support/failures.ts'
import { addStudio, stageBuild, type Studio } from './support/studios.ts'
import { startSystem, tokens, type System } from './support/system.ts'
import { bearer } from './support/xapi.ts'

let system: System
let school: Studio
let other: Studio
let studio: Studio
beforeAll(async () => {
  system = await startSystem({ gateways: 0 })
  school = await addStudio(system, 'Hill School', { kind: 'school' })
  other = await addStudio(system, 'Lake School', { kind: 'school' })
  studio = await addStudio(system, 'Blue Fox')
})
afterAll(() => system.close())

const guest = () => system.connections[0]!.as(bearer(tokens.portal))
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => ConnectError.from(error).code,
  )
const classOf = async (of: Studio, pupilNames: string[] = ['Ada', 'Bo', 'Ada']) =>
  (await of.on().schools.createSchoolClass({ name: '4b', pupilNames })).classId
/** An account that has become a member of the school, and works for it. */
const memberOf = async (of: Studio, role: MemberRole): Promise<Studio> => {
  const { code } = await of.on().members.inviteMember({ role })
  const member = await addStudio(system, 'Owl')
  await member.on().members.acceptMemberInvitation({ code })
  return member
}
const pupilsOf = async (of: Studio, classId: string) => (await of.on().schools.getSchoolClass({ classId })).pupils

describe('a class', () => {
  test('has its pupils by name, each with a nickname of its own', async () => {
    const classId = await classOf(school)
    const pupils = await pupilsOf(school, classId)
    expect(pupils.map(({ name }) => name)).toEqual(['Ada', 'Ada (2)', 'Bo'])
    expect(new Set(pupils.map(({ alias }) => alias)).size).toBe(3)
    expect(pupils.every(({ alias, name }) => !alias.includes(name))).toBe(true)
    await school.on().schools.addPupils({ classId, pupilNames: ['Cy', '', 'bo'] })
    expect((await pupilsOf(school, classId)).map(({ name }) => name)).toEqual(['Ada', 'Ada (2)', 'Bo', 'bo (2)', 'Cy'])
    const { classes } = await school.on().schools.listSchoolClasses({})
    expect(classes.find((one) => one.classId === classId)).toMatchObject({ name: '4b', pupils: 5, lastLesson: 0n })
  })

  test('is renamed pupil by pupil; no two are called alike', async () => {
    const classId = await classOf(school)
    const [ada, , bo] = await pupilsOf(school, classId)
    await school.on().schools.changePupil({ classId, pupilId: bo!.pupilId, name: 'Ada' })
    await school.on().schools.changePupil({ classId, pupilId: ada!.pupilId, name: 'ADA' })
    expect((await pupilsOf(school, classId)).map(({ name }) => name)).toEqual(['ADA', 'Ada (2)', 'Ada (3)'])
  })

  test('has at most 100 pupils, and gets none at all when there are more', async () => {
    const names = Array.from({ length: 101 }, (_, n) => `Pupil ${n}`)
    expect(await codeOf(classOf(school, names))).toBe(Code.ResourceExhausted)
    const classId = await classOf(school, names.slice(2))
    expect(await codeOf(school.on().schools.addPupils({ classId, pupilNames: ['A', 'B'] }))).toBe(
      Code.ResourceExhausted,
    )
    expect(await pupilsOf(school, classId)).toHaveLength(99)
  })

  test('gets cards; the new ones end those before', async () => {
    const classId = await classOf(school)
    const pupilIds = (await pupilsOf(school, classId)).map(({ pupilId }) => pupilId)
    const { cards } = await school.on().schools.renewCards({ classId, pupilIds: [...pupilIds, crypto.randomUUID()] })
    expect(cards.map(({ name }) => name)).toEqual(['Ada', 'Ada (2)', 'Bo'])
    expect((await pupilsOf(school, classId)).every(({ hasCard }) => hasCard)).toBe(true)
    const hashes = () => system.database.sql('select card_hash from pupil where class = $1 order by uuid', [classId])
    const before = await hashes()
    await school.on().schools.renewCards({ classId, pupilIds })
    expect(await hashes()).not.toEqual(before)
  })

  test('loses a pupil, and ends with all of them', async () => {
    const classId = await classOf(school)
    const [ada] = await pupilsOf(school, classId)
    await school.on().schools.removePupil({ classId, pupilId: ada!.pupilId })
    expect(await codeOf(school.on().schools.removePupil({ classId, pupilId: ada!.pupilId }))).toBe(Code.NotFound)
    await school.on().schools.removeSchoolClass({ classId })
    expect(await codeOf(pupilsOf(school, classId))).toBe(Code.NotFound)
    expect(await system.database.sql('select from pupil where class = $1', [classId])).toEqual([])
  })
})

test('an observer sees nicknames in place of names, and changes nothing', async () => {
  const classId = await classOf(school)
  const observer = await memberOf(school, MemberRole.OBSERVER)
  expect(await observer.on().accounts.getAccount({})).toMatchObject({
    role: MemberRole.OBSERVER,
    kind: OrganisationKind.SCHOOL,
  })
  const seen = await pupilsOf(observer, classId)
  expect(seen).toHaveLength(3)
  expect(seen.filter(({ name, alias }) => name !== alias)).toEqual([])
  expect(await codeOf(classOf(observer))).toBe(Code.PermissionDenied)
})

test('a school invites teachers and observers, a studio developers and analysts', async () => {
  for (const [of, role] of [
    [school, MemberRole.DEVELOPER],
    [school, MemberRole.ANALYST],
    [studio, MemberRole.TEACHER],
    [studio, MemberRole.OBSERVER],
    [school, MemberRole.OWNER],
  ] as const)
    expect(await codeOf(of.on().members.inviteMember({ role }))).toBe(Code.InvalidArgument)
  expect((await school.on().members.inviteMember({ role: MemberRole.TEACHER })).code).not.toBe('')
})

test('a school is not public, and makes no games', async () => {
  const { studio: own } = await school.on().accounts.getAccount({})
  expect(await codeOf(guest().accounts.getPublicStudio({ slug: own!.slug }))).toBe(Code.NotFound)
  expect(await codeOf(school.on().games.createGame({ name: 'Quiz' }))).toBe(Code.PermissionDenied)
  expect(await codeOf(school.on().games.listGames({}))).toBe(Code.PermissionDenied)
})

test('a studio hands a class over: its learners become pupils, and the studio sees nicknames', async () => {
  const { gameId } = await studio.on().games.createGame({ name: 'Quiz' })
  await stageBuild(system, gameId)
  await system.database.sql(
    `update game set state = 'published', live_build = staged_build, slug = uuid::text where uuid = $1`,
    [gameId],
  )
  const { classes } = studio.on()
  const { classId } = await classes.createClass({ gameId, name: '5a', learnerNames: ['Ada', 'Bo'] })
  const { code } = await classes.handOverClass({ gameId, classId })
  expect(await codeOf(studio.on().schools.takeOverClass({ code }))).toBe(Code.PermissionDenied)
  const taken = (await school.on().schools.takeOverClass({ code: code.toLowerCase() })).classId
  const pupils = await pupilsOf(school, taken)
  expect(pupils.map(({ name }) => name)).toEqual(['Ada', 'Bo'])
  const learners = await system.database.sql<{ name: string; alias: string }>(
    `select l.name, p.alias from learner l join pupil_learner k on k.learner = l.uuid join pupil p on p.uuid = k.pupil
      where p.class = $1 order by p.name`,
    [taken],
  )
  expect(learners.map(({ alias }) => alias)).toEqual(pupils.map(({ alias }) => alias))
  // neither names nor the nicknames of the class
  const known = new Set([...pupils.map(({ alias }) => alias), 'Ada', 'Bo'])
  expect(learners.filter(({ name }) => known.has(name))).toEqual([])
  expect((await classes.listClasses({ gameId })).classes).toEqual([])
  await school.on().schools.removePupil({ classId: taken, pupilId: pupils[0]!.pupilId, erase: true })
  const { requests } = await studio.on().ownData.listErasureRequests({ gameId })
  expect(requests).toMatchObject([{ learnerName: learners[0]!.name, request: { outcome: '' } }])
  await school.on().schools.removeSchoolClass({ classId: taken, erase: true })
  expect((await studio.on().ownData.listErasureRequests({ gameId })).requests).toHaveLength(2)
  // one notice an hour
  const { notifications } = await studio.on().notices.listNotifications({})
  expect(notifications.map(({ title }) => title)).toEqual(['A learner of Quiz asks for an erasure'])
  const { requestId } = requests[0]!.request!
  await studio.on().ownData.decideErasure({ gameId, requestId, erase: false, reason: 'We need the results.' })
  const told = (await school.on().notices.listNotifications({})).notifications
  expect(told[0]!.body).toBe('You asked for it when you removed the pupil. The studio refused: We need the results.')
  expect(await codeOf(other.on().schools.takeOverClass({ code }))).toBe(Code.InvalidArgument)
})

describe('the consent of parents', () => {
  const parents = () => guest().parentConsents
  const here = '192.0.2.7'
  const readBy = (code: string) => parents().getParentConsent({ code, senderIp: here })
  const agree = (code: string, version: number) =>
    parents().giveParentConsent({ code, version, parentName: ' Eve  Adams ', senderIp: here })
  const lacking = async (of: Studio, classId: string) =>
    (await pupilsOf(of, classId)).filter(({ lacksConsent }) => lacksConsent).map(({ name }) => name)
  let hall: Studio
  let gameSlug: string
  beforeAll(async () => {
    hall = await addStudio(system, 'Hall School', { kind: 'school' })
    const { games } = studio.on()
    const { gameId } = await games.createGame({ name: 'Maze' })
    const buildId = await stageBuild(system, gameId)
    await games.updateGame({ gameId, name: 'Maze', summary: 'A maze.', description: '' })
    await games.submitForReview({ gameId, message: '' })
    await system.admin.games.decideReview({ gameId, buildId, approved: true, note: '' })
    gameSlug = (await games.getGame({ gameId })).game!.summary!.slug
  })
  /** A seat that was let in; returns what happens when it says who it is and starts. */
  const play = async (classId: string, name: string, newcomers = false) => {
    const { lesson } = await hall.on().lessons.openLesson({ classId, gameSlug, newcomers, senderIp: here })
    const { seatToken } = await guest().lessons.joinLesson({ code: lesson!.code, senderIp: here })
    await hall.on().lessons.letIn({ lessonId: lesson!.lessonId })
    const named = await failureOf(guest().lessons.nameSeat({ seatToken, name, picture: 1 }))
    if (named !== 'ok') return named.path
    const { launch } = await guest().lessons.startSeat({ seatToken })
    return { seatToken, launch: launch!, again: () => failureOf(guest().lessons.startSeat({ seatToken })) }
  }

  test('is the school until an owner says otherwise; a text that changes asks again', async () => {
    const { parentConsents } = hall.on()
    const ruleOf = async () => (await parentConsents.getConsentRule({})).rule!
    expect(await ruleOf()).toMatchObject({ parents: false, version: 0, changed: 0n, changedBy: '' })
    const classId = await classOf(hall)
    expect(await lacking(hall, classId)).toEqual([])
    expect(await codeOf(parentConsents.setConsentRule({ parents: true, text: ' ' }))).toBe(Code.InvalidArgument)
    await parentConsents.setConsentRule({ parents: true, text: 'We play.' })
    expect(await ruleOf()).toMatchObject({ parents: true, text: 'We play.', version: 1, changedBy: hall.email })
    const [ada] = await pupilsOf(hall, classId)
    await parentConsents.noteConsent({ classId, pupilId: ada!.pupilId, agreed: true })
    expect(await lacking(hall, classId)).toEqual(['Ada (2)', 'Bo'])
    await parentConsents.setConsentRule({ parents: false, text: '' })
    expect(await lacking(hall, classId)).toEqual([])
    await parentConsents.setConsentRule({ parents: true, text: 'We play.' })
    expect(await lacking(hall, classId)).toEqual(['Ada (2)', 'Bo'])
    await parentConsents.setConsentRule({ parents: true, text: 'We play much.' })
    expect([(await ruleOf()).version, await lacking(hall, classId)]).toEqual([2, ['Ada', 'Ada (2)', 'Bo']])
    for (const no of [studio, await memberOf(hall, MemberRole.TEACHER)])
      expect(await codeOf(no.on().parentConsents.setConsentRule({ parents: false, text: '' }))).toBe(
        Code.PermissionDenied,
      )
  })

  test('comes by a link that is shown once: without it nobody plays, and a withdrawal ends what runs', async () => {
    const { parentConsents, schools } = hall.on()
    const classId = await classOf(hall, ['Ada', 'Bo'])
    const { version } = (await parentConsents.getConsentRule({})).rule!
    expect(await play(classId, 'Ada')).toBe('parent_consent')
    // not even kept as a pupil
    expect(await play(classId, 'New', true)).toBe('parent_consent')
    expect(await pupilsOf(hall, classId)).toHaveLength(2)
    const pupilIds = (await pupilsOf(hall, classId)).map(({ pupilId }) => pupilId)
    const { cards } = await schools.renewCards({ classId, pupilIds })
    const byCard = () => failureOf(guest().lessons.joinByCard({ code: cards[0]!.code, senderIp: here }))
    expect(await byCard()).toMatchObject({ path: 'parent_consent' })

    const old = (await parentConsents.makeParentLinks({ classId, pupilIds: [] })).links
    expect(old.map(({ name }) => name)).toEqual(['Ada', 'Bo'])
    const { links } = await parentConsents.makeParentLinks({ classId, pupilIds: [pupilIds[0]!] })
    expect(await codeOf(readBy(old[0]!.code))).toBe(Code.NotFound)
    const { code } = links[0]!
    expect(await readBy(code.toLowerCase())).toMatchObject({
      schoolName: 'Hall School',
      pupilName: 'Ada',
      mayPlay: false,
    })
    expect(await failureOf(agree(code, version - 1))).toMatchObject({ path: 'version' })
    await agree(code, version)
    expect(await readBy(code)).toMatchObject({
      mayPlay: true,
      last: { agreed: true, parentName: 'Eve Adams', version, onPaper: false },
    })
    const seat = await play(classId, 'Ada')
    if (typeof seat === 'string') expect.fail(seat)
    // a new link does not end the one by which the parent can withdraw
    await parentConsents.makeParentLinks({ classId, pupilIds })
    await parents().withdrawParentConsent({ code, erase: true, senderIp: here })
    expect(await seat.again()).toMatchObject({ reason: Reason.NOT_FOUND })
    const { sessionSecret } = seat.launch
    expect(await codeOf(guest().launches.getLaunch({ sessionSecret }))).toBe(Code.NotFound)
    expect(await byCard()).toMatchObject({ path: 'parent_consent' })
    const { requests } = await studio.on().ownData.listErasureRequests({ gameId: seat.launch.gameId })
    expect(requests).toMatchObject([{ learnerName: seat.launch.learnerName }])
    await agree(code, version)
    expect(await lacking(hall, classId)).toEqual(['Bo'])
    const of = { classId, pupilId: pupilIds[0]! }
    await parentConsents.noteConsent({ ...of, agreed: false })
    const { consents } = await parentConsents.listConsents(of)
    expect(consents.map(({ agreed, onPaper, notedBy }) => [agreed, onPaper, notedBy])).toEqual([
      [false, true, hall.email],
      [true, false, ''],
      [false, false, ''],
      [true, false, ''],
    ])
    const observer = await memberOf(hall, MemberRole.OBSERVER)
    const seen = (await observer.on().parentConsents.listConsents(of)).consents
    expect(seen.map(({ parentName }) => parentName)).toEqual(['', '', '', ''])
  })
})

/** What a member of a school may do with a class, by name. */
const calls = (of: Studio, classId: string, pupilId: string) => {
  const { schools } = of.on()
  return {
    get: () => schools.getSchoolClass({ classId }),
    add: () => schools.addPupils({ classId, pupilNames: ['Eve'] }),
    change: () => schools.changePupil({ classId, pupilId, name: 'Eve' }),
    cards: () => schools.renewCards({ classId, pupilIds: [pupilId] }),
    removePupil: () => schools.removePupil({ classId, pupilId }),
    links: () => of.on().parentConsents.makeParentLinks({ classId, pupilIds: [pupilId] }),
    note: () => of.on().parentConsents.noteConsent({ classId, pupilId, agreed: true }),
    consents: () => of.on().parentConsents.listConsents({ classId, pupilId }),
    remove: () => schools.removeSchoolClass({ classId }),
  }
}

test.each([
  ['another school', Code.NotFound, () => other],
  ['a studio', Code.PermissionDenied, () => studio],
  ['a stranger', Code.Unauthenticated, () => ({ on: guest }) as Studio],
])('%s reaches nothing of a class', async (_, code, of) => {
  const classId = await classOf(school)
  const [ada] = await pupilsOf(school, classId)
  for (const [name, call] of Object.entries(calls(of(), classId, ada!.pupilId)))
    expect([name, await codeOf(call())]).toEqual([name, code])
  expect(await pupilsOf(school, classId)).toHaveLength(3)
  expect(await codeOf(other.on().schools.changePupil({ classId: await classOf(other), pupilId: ada!.pupilId }))).toBe(
    Code.NotFound,
  )
})
