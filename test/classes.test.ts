import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { invitations as limits } from '../shared/limits.ts'
import { reasonOf } from './support/failures.ts'
import { payload, startLaunches, type Launches } from './support/launches.ts'

let launches: Launches
let gameId: string
beforeAll(async () => {
  launches = await startLaunches()
  gameId = launches.game.id
})
afterAll(() => launches.system.close())

const of = (core = 0) => launches.fox.on(core).classes
const actorOf = (token: string) => JSON.parse(payload(token).actor) as { name: string; account: { name: string } }

/** A class with links, by name of the learner. */
async function invite(learnerNames: string[], nicknames = 0) {
  const { classId } = await of().createClass({ gameId, name: '4b', learnerNames, nicknames })
  const { learners } = await of(1).getClass({ gameId, classId })
  const ids = learners.map(({ invitation }) => invitation!.invitationId)
  const { links } = await of().renewLinks({ gameId, invitationIds: ids })
  return { classId, ids, links, codeOf: (name: string) => links.find(({ learnerName }) => learnerName === name)!.code }
}

describe('a class', () => {
  test('is made of names and nicknames: each once, trimmed, by name', async () => {
    const { classId } = await of().createClass({
      gameId,
      name: ' 4b  Monday ',
      learnerNames: ['  Zoë ', '', 'Ben', 'Ann\tLee', 'ben'],
      nicknames: 2,
    })
    await of().addToClass({ gameId, classId, learnerNames: ['Ann Lee', 'Carl'] })
    const { class: made, learners } = await of().getClass({ gameId, classId })
    expect(made).toMatchObject({ name: '4b Monday', learners: 8, ended: 0n })
    const names = learners.map(({ invitation }) => invitation!.learnerName)
    expect(names.filter((name) => !/^[A-Z][a-z]+ [A-Z][a-z]+$/.test(name) || name === 'Ann Lee')).toEqual([
      'Ann Lee',
      'Ann Lee (2)',
      'Ben',
      'ben (2)',
      'Carl',
      'Zoë',
    ])
    expect(names).toHaveLength(8)
    expect((await of().listClasses({ gameId })).classes.map(({ name }) => name)).toContain('4b Monday')
    // it is not in the list of those who were invited alone
    expect((await launches.fox.on().launches.listInvitations({ gameId })).invitations).toEqual([])
  })

  test('has a bound, and says which line is wrong', async () => {
    const names = (count: number) => Array.from({ length: count }, (_, n) => `Learner ${n}`)
    const tooMany = of().createClass({ gameId, name: '4b', learnerNames: names(limits.ofClass), nicknames: 1 })
    expect(await reasonOf(tooMany)).toBe('INVALID')
    const { classId } = await of().createClass({ gameId, name: '4b', learnerNames: names(limits.ofClass) })
    expect(await reasonOf(of().addToClass({ gameId, classId, nicknames: 1 }))).toBe('QUOTA_EXCEEDED')
    await of().endClass({ gameId, classId })
    const long = of().createClass({ gameId, name: '4b', learnerNames: ['Ann', '', 'x'.repeat(101)] })
    await expect(long).rejects.toThrow('line 3 must have 100 characters at most')
    expect(await reasonOf(of().createClass({ gameId, name: '4b', learnerNames: [' ', ''] }))).toBe('INVALID')
  })
})

describe('a link', () => {
  test('that was lost is made again for the same learner; the old one stops, and what runs with it', async () => {
    const { codeOf, ids } = await invite(['Ann'])
    const { launch } = await launches.play({ invitation: codeOf('Ann') })
    const { links } = await of(1).renewLinks({ gameId, invitationIds: ids })
    expect(await reasonOf(launches.play({ invitation: codeOf('Ann') }))).toBe('NOT_FOUND')
    expect((await launches.xapi(launch!).post({})).status).toBe(401)
    const again = await launches.play({ invitation: links[0]!.code })
    expect(actorOf(again.launch!.token)).toEqual(actorOf(launch!.token))
  })

  test('is found as it is typed, and finds its game', async () => {
    const { codeOf } = await invite(['Ann'])
    const typed = ` ${codeOf('Ann')
      .toLowerCase()
      .replaceAll(/(.{4})/g, '$1-')} `
    const anybody = launches.system.admin.launches
    expect(await anybody.getInvitation({ slug: '', code: typed })).toMatchObject({
      learnerName: 'Ann',
      slug: launches.game.slug,
    })
    expect(actorOf((await launches.play({ invitation: typed })).launch!.token).name).toBe('Ann')
  })

  test('is made for the own invitations only', async () => {
    const { ids } = await invite(['Ann'])
    const foreign = await launches.publish(launches.owl)
    const theirs = launches.owl.on().classes.renewLinks({ gameId: foreign.id, invitationIds: ids })
    expect(await reasonOf(theirs)).toBe('NOT_FOUND')
    expect(await reasonOf(of().renewLinks({ gameId, invitationIds: ['x'] }))).toBe('NOT_FOUND')
  })
})

describe('an end', () => {
  test('can be undone: of one learner, and of a class with those who had not ended before', async () => {
    const { classId, codeOf, links } = await invite(['Ann', 'Ben', 'Cleo'])
    const idOf = (name: string) => links.find(({ learnerName }) => learnerName === name)!.invitationId
    const end = (name: string) => launches.fox.on().launches.revokeInvitation({ gameId, invitationId: idOf(name) })
    await end('Ann')
    expect(await reasonOf(launches.play({ invitation: codeOf('Ann') }))).toBe('NOT_FOUND')
    await of(1).restoreInvitation({ gameId, invitationId: idOf('Ann') })
    const { launch } = await launches.play({ invitation: codeOf('Ann') })
    await end('Ben')
    expect(await of().endClass({ gameId, classId })).toMatchObject({ invitations: 2 })
    expect((await launches.xapi(launch!).post({})).status).toBe(401)
    expect(await reasonOf(of().restoreInvitation({ gameId, invitationId: idOf('Ann') }))).toBe('NOT_FOUND')
    expect((await of().getClass({ gameId, classId })).class!.ended).toBeGreaterThan(0n)
    await of().restoreClass({ gameId, classId })
    expect(
      await Promise.all(
        ['Ann', 'Ben', 'Cleo'].map((name) =>
          launches.play({ invitation: codeOf(name) }).then(
            () => 'plays',
            () => 'ended',
          ),
        ),
      ),
    ).toEqual(['plays', 'ended', 'plays'])
  })

  test('is final after a day: names that are nothing but names go', async () => {
    const { classId, codeOf } = await invite(['Ann', 'Quite Unknown'])
    await launches.play({ invitation: codeOf('Ann') })
    await of().endClass({ gameId, classId })
    const { sql } = launches.system.database
    await sql(`update invitation set revoked = revoked - interval '25 hours' where class = $1`, [classId])
    await sql(`update class set ended = ended - interval '25 hours' where uuid = $1`, [classId])
    expect(await reasonOf(of().restoreClass({ gameId, classId }))).toBe('NOT_FOUND')
    expect(await reasonOf(of().getClass({ gameId, classId }))).toBe('NOT_FOUND')
    const { invitations, classes, learners } = launches.system.cores[0]!.store
    expect([await invitations.sweep(100), await classes.sweep(100)]).toEqual([2, 1])
    await learners.sweep(100, (id) => ({ key: id.replaceAll('-', ''), relatedKey: id.replaceAll('-', '') }))
    expect(await sql(`select name from learner where name in ('Ann', 'Quite Unknown') and kind = 'player'`)).toEqual([
      { name: 'Ann' },
    ])
  })
})

test('the table has what the learners did up to this moment, and nothing of others', async () => {
  const { classId, codeOf } = await invite(['Ann', 'Ben', 'Cleo'])
  const launchOf = async (invitation?: string) =>
    (await launches.play(invitation === undefined ? { learnerName: 'Passer-by' } : { invitation })).launch!
  const [ann, ben, other] = [await launchOf(codeOf('Ann')), await launchOf(codeOf('Ben')), await launchOf()]
  const completed = (level: string, scaled: number) => ({
    verb: { id: 'http://adlnet.gov/expapi/verbs/completed' },
    object: { id: level },
    result: { score: { scaled } },
  })
  const statements = [
    completed('https://x.example/1', 0.5),
    completed('https://x.example/1', 0.9),
    completed('https://x.example/2', 0.7),
  ]
  for (const statement of statements) expect((await launches.xapi(ann).post(statement)).status).toBe(200)
  await launches.xapi(ann).post(completed(ann.activityId, 1))
  await launches.xapi(other).post(completed('https://x.example/3', 1))
  await launches.xapi(ben).post({ verb: { id: 'x:started' }, object: { id: 'https://x.example/1' } })
  const { learners } = await of(1).getClass({ gameId, classId })
  expect(learners.map(({ invitation, result }) => [invitation!.learnerName, invitation!.used, result])).toMatchObject([
    [
      'Ann',
      1,
      { completed: 2, attempts: 3, passed: 0, failed: 0, abandoned: 0, bestScore: 1, statements: 4, more: false },
    ],
    ['Ben', 1, { completed: 0, statements: 1 }],
    ['Cleo', 0, { completed: 0, statements: 0, last: 0n }],
  ])
  expect(Number(learners[0]!.result!.last)).toBeGreaterThan(Date.now() / 1000 - 60)
})
