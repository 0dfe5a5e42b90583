import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeWeekly } from '../core/accounts/command/weekly-mails.ts'
import { mails as limits } from '../shared/limits.ts'
import { startMailServer, type MailServer } from './support/mail-server.ts'
import { player, statements } from './support/statements.ts'
import { startSystem, tokens, type System } from './support/system.ts'
import { bearer } from './support/xapi.ts'
import { addStudio, type Studio } from './support/studios.ts'

let mailServer: MailServer
let system: System
let studio: Studio
beforeAll(async () => {
  mailServer = await startMailServer()
  system = await startSystem({ gateways: 0, cores: 2, mail: mailServer.config('https://portal.example') })
  studio = await addStudio(system, 'Blue Fox')
  await system.database.sql('update account set email_verified = now() where id = $1', [studio.account])
})
afterAll(async () => {
  await system.close()
  await mailServer.close()
})

const text = (title: string) => ({ title, lines: ['Ein schöner Tag.', 'Zweiter Absatz'], path: '/games', action: 'Go' })
const tell = (title: string, topic = '') =>
  system.cores[0]!.notices.tell({ accounts: [studio.account] }, 'review', text(title), undefined, topic)
const queue = () =>
  system.database.sql<{ due: Date | null; sent: Date | null; attempts: number; failure: string; content: unknown }>(
    'select due, sent, attempts, failure, content from mail order by id',
  )

test('a notice arrives as text and HTML, with what a server and a reader need', async () => {
  await tell('Grüße')
  const mail = await mailServer.next(studio.email, /Grüße/)
  expect(mail.text).toContain('Ein schöner Tag.\n\nZweiter Absatz\n\nGo:\nhttps://portal.example/games\n')
  expect(mail.html).toContain('<p>Ein schöner Tag.</p>')
  expect(mail.headers.get('auto-submitted')).toBe('auto-generated')
  expect(mail.headers.get('from')).toBe('Games LRS <lrs@lrs.example>')
  expect(mail.headers.get('message-id')).toMatch(/^<[\da-f-]{36}@lrs\.example>$/)
})

test('who wants it gets the week of the games on Monday, once, without names; a link of the mail ends it', async () => {
  const { sql } = system.database
  const [game, quiet] = [await system.game(), await system.game()]
  await sql('update game set studio = $1 where uuid = any ($2)', [studio.id, [game.id, quiet.id]])
  const played = ['Mia', 'Ben'].flatMap((name) => statements(2, { actor: player(name) }))
  await game.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify(played)) })
  await sql('update statement set stored = stored - 2 * 86400000000 where id = any ($1)', [played.map(({ id }) => id)])
  const { notices } = studio.on()
  const isOn = async () => (await notices.listNoticeKinds({})).weekly
  expect(await isOn()).toBe(false)
  await notices.setWeeklyMail({ on: true })
  expect(await isOn()).toBe(true)
  const due = async () => (await sql<{ due: Date }>('select due from weekly_mail'))[0]!.due
  const first = await due()
  expect([first.getUTCDay(), first.getUTCHours()]).toEqual([1, 7])
  await sql('update weekly_mail set due = now()')
  const mail = await mailServer.next(studio.email, /^The week of Blue Fox$/)
  expect(mail.text).toMatch(
    /: 2 players, nobody played in the week before\. .*\. 0 players need help, and 0 requests were/,
  )
  expect(mail.text).not.toMatch(/Mia|Ben|: 0 players,/)
  expect(await due()).toEqual(first)
  const ends = mail.links.find((link) => link.includes('/mail/weekly'))!
  expect(mail.headers.get('list-unsubscribe')?.replaceAll(/\s/g, '')).toBe(`<${ends}>`)
  expect(mail.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')

  // as if another core had taken over from one that goes on after all
  const [row] = await sql<{ id: number; attempts: number; weeklyId: string }>(`update weekly_mail
    set leased = now() + interval '1 minute', attempts = attempts + 1 returning id, attempts, uuid as "weeklyId"`)
  const taken = {
    ...row!,
    account: studio.account,
    recipient: studio.email,
    name: 'Again',
    zone: 'UTC',
    isWanted: true,
  }
  const week = { players: 1, playersBefore: 1, stuck: undefined, needHelp: 0, moreHelp: false, refused: 0 }
  const of = { game: 1, gameId: game.id, name: 'Quiz', week }
  const [one, other] = system.cores
  await Promise.all([one!, other!].map((core) => writeWeekly(core, { ...taken, games: [] }, [of])))
  expect((await sql(`select from mail where content ->> 'title' = 'The week of Again'`)).length).toBeLessThanOrEqual(1)
  await mailServer.next(studio.email, /^The week of Again$/)
  expect(mailServer.received).toEqual([])

  const guest = system.connections[0]!.as(bearer(tokens.portal)).notices
  await expect(guest.endWeeklyMail({ code: 'x'.repeat(64) })).rejects.toThrow('not complete')
  expect(await isOn()).toBe(true)
  await guest.endWeeklyMail({ code: new URL(ends).searchParams.get('code')! })
  expect(await isOn()).toBe(false)
  await sql('delete from mail')
})

test('two cores send each mail once, and keep nothing of its content', async () => {
  for (let n = 0; n < 30; n++) await tell(`mail ${n}`)
  await expect.poll(async () => (await queue()).filter(({ sent }) => sent === null).length).toBe(0)
  expect(mailServer.received.map(({ subject }) => subject).toSorted()).toEqual(
    Array.from({ length: 30 }, (_, n) => `mail ${n}`).toSorted(),
  )
  expect((await queue()).every(({ content, attempts, due }) => content === null && attempts === 1 && !due)).toBe(true)
  mailServer.received.length = 0
})

test('a mail that the server does not take now is tried again, later each time, and given up after days', async () => {
  mailServer.refuse(451)
  await tell('later')
  const last = async () => (await queue()).at(-1)!
  await expect.poll(async () => (await last()).failure).toContain('127.0.0.1 does not take mails at the moment')
  const pause = (await last()).due!.getTime() - Date.now()
  expect(pause).toBeGreaterThan(limits.firstPause * 500)
  expect(pause).toBeLessThan(limits.firstPause * 1500)

  await system.database.sql(
    `update mail set due = now(), created = now() - make_interval(days => $1, hours => 1) where sent is null`,
    [limits.givenUpDays],
  )
  await expect.poll(async () => (await last()).due).toBe(null)
  expect(await last()).toMatchObject({ attempts: 2, sent: null })

  // an admin tries it again
  mailServer.refuse(0)
  expect(await system.cores[0]!.store.mails.retry(undefined)).toBe(1)
  await mailServer.next(studio.email, /later/)
})

test('a mail that the server refuses for good is given up at once', async () => {
  mailServer.refuse(550)
  await tell('never')
  await expect.poll(async () => (await queue()).at(-1)).toMatchObject({ due: null, sent: null, attempts: 1 })
  expect((await queue()).at(-1)!.failure).toContain('550')
  mailServer.refuse(0)
})

test('a mail whose core died is sent when its lease is over', async () => {
  await system.database.sql(
    `insert into mail (recipient, kind, content, attempts, leased) values ('gone@example.org', 'review', $1, 1, now() + interval '1 second')`,
    [JSON.stringify(text('leased'))],
  )
  expect(mailServer.received).toEqual([])
  await mailServer.next('gone@example.org', /leased/)
})

test('what was told within a week is not told again', async () => {
  await tell('first', 'quota:storage')
  await tell('again', 'quota:storage')
  await tell('other', 'quota:games')
  await mailServer.next(studio.email, /other/)
  await mailServer.next(studio.email, /first/)
  expect(mailServer.received).toEqual([])
})

test('a kind that is off and an address that is not verified get no mail, but the header tells', async () => {
  const { notices } = system.cores[0]!
  await system.cores[0]!.store.notices.mute(studio.account, ['review'])
  await tell('muted')
  await system.cores[0]!.store.notices.mute(studio.account, [])
  const other = await addStudio(system, 'Owl')
  await notices.tell({ studio: other.id, roles: ['owner'] }, 'security', text('unverified'))
  await tell('seen')
  await mailServer.next(studio.email, /seen/)
  expect(mailServer.received).toEqual([])
  const titles = async (account: number) =>
    (await system.cores[0]!.store.notices.of(account, 10)).map(({ title }) => title)
  expect(await titles(studio.account)).toContain('muted')
  expect(await titles(other.account)).toEqual(['unverified'])
})
