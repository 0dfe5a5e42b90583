import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { MemberRole } from '../gen/lrs/v1/members_pb.js'
import { csrfToken } from '../portal/web/session-cookie.ts'
import { connectionTo } from './support/database.ts'
import { startPortalSystem, type PortalSystem } from './support/portal.ts'
import { statements } from './support/statements.ts'
import type { Studio } from './support/studios.ts'

/** Browsers without scripts: links are followed and forms are sent as the pages have them. */
let system: PortalSystem
let fox: Studio
let gameId: string
const password = 'correct horse battery'
beforeAll(async () => {
  system = await startPortalSystem()
  fox = await system.studio('Blue Fox')
  await system.database.sql('update account set password_hash = $2 where id = $1', [
    fox.account,
    await system.cores[0]!.passwords.hash(password, 'test'),
  ])
  gameId = (await system.publish(fox, 'Quiz')).gameId
})
afterAll(() => system.close())

interface Answer {
  readonly status: number
  readonly text: string
  /** Where it redirects; empty: it does not. */
  readonly to: string
  /** The session that it set. */
  readonly session: string
}

async function send(session: string, path: string, form?: Record<string, string>): Promise<Answer> {
  const response = await fetch(system.url + path, {
    method: form ? 'POST' : 'GET',
    redirect: 'manual',
    headers: { cookie: session === '' ? '' : `session=${session}`, ...(form ? { origin: system.url } : {}) },
    body: form && new URLSearchParams({ csrf: session === '' ? '' : csrfToken(session), ...form }),
  })
  const cookie = /session=([^;]+)/.exec(response.headers.getSetCookie().join(';'))?.[1] ?? ''
  return {
    status: response.status,
    text: await response.text(),
    to: response.headers.get('location') ?? '',
    session: cookie,
  }
}

/** Makes a link on the page of members, and has somebody sign up by it. */
async function join(email: string, role: MemberRole): Promise<string> {
  const { text } = await send(fox.session, '/studio/members')
  const seen = /name="seen" value="([^"]*)"/.exec(text)![1]!
  const made = await send(fox.session, '/studio/members', { role: String(role), email, seen })
  const path = /\/members\/join\?code=[\w-]+/.exec(made.text)![0]
  expect((await send('', path)).text).toContain('You are invited to <strong>Blue Fox</strong>')
  const signUp = await send('', `/sign-up?next=${encodeURIComponent(path)}`)
  expect(signUp.text).not.toContain('studio_name')
  const { session, to } = await send('', '/sign-up', { email, password, next: path })
  expect(to).toBe(path)
  expect((await send(session, '/games')).to).toBe('/start')
  expect(await send(session, '/start')).toMatchObject({ status: 200, text: expect.stringContaining('no studio') })
  const code = path.split('=')[1]!
  expect((await send(session, '/members/join', { code })).to).toBe('/games?done=joined')
  expect((await send('', path)).status).toBe(404)
  return session
}

test('an analyst who came by a link sees data, and neither buttons nor pages for anything else', async () => {
  const ann = await join('ann@example.org', MemberRole.ANALYST)
  const games = await send(ann, '/games')
  expect(games.text).toContain('Quiz')
  expect(games.text).not.toMatch(/New game|href="\/(?:studio|messages)"/)
  expect((await send(ann, `/games/${gameId}/data`)).to).toBe(`/games/${gameId}`)
  for (const page of ['', '/statements', '?from=sandbox', '/statements?from=sandbox']) {
    const { status, text } = await send(ann, `/games/${gameId}${page}`)
    expect([page, status]).toEqual([page, 200])
    expect(text, page).not.toMatch(/\/(?:sandbox|credential|upload|edit|invitations|checklist|media)["/?]/)
  }
  for (const page of [
    'edit',
    'upload',
    'media',
    'checklist',
    'sandbox',
    'credential',
    'invitations',
    'submit',
    'withdraw',
  ])
    expect((await send(ann, `/games/${gameId}/${page}`)).status, page).toBe(403)
  const members = await send(ann, '/studio/members')
  expect(members.text).toContain('ann@example.org')
  expect(members.text).not.toMatch(/Invite a member|Delete the studio|>Change</)
  expect((await send(ann, '/messages')).status).toBe(403)
})

test('ten tabs of one studio, and one of another, get their charts while a game cannot be counted on', async () => {
  const elk = await system.studio('Grey Elk')
  const { gameId: other } = await elk.on().games.createGame({ name: 'Forest' })
  expect((await send(fox.session, `/games/${gameId}`)).status).toBe(200)
  const holding = await connectionTo(system.database.url)
  onTestFinished(() => holding.end())
  await holding.query('begin; select from tally_cursor for update')
  const { key, secret } = await fox.on().games.rotateSecret({ gameId })
  const sent = await fetch(`${system.urls[0]!}/xapi/statements`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${key}:${secret}`)}`,
      'content-type': 'application/json',
      'x-experience-api-version': '1.0.3',
    },
    body: JSON.stringify(statements(3)),
  })
  expect(sent.status).toBe(200)
  const ended: string[] = []
  const tab = async (of: Studio, game: string, page: string) => {
    const answer = await send(of.session, `/games/${game}${page}`)
    ended.push(of.slug)
    return answer
  }
  const pages = ['', '/data/progress', '/data/return', '/data/answers', '/data/elements']
  const tabs = [...pages, ...pages].map((page, n) => tab(fox, gameId, `${page}?days=${n + 10}`))
  const [beside, ...answers] = await Promise.all([tab(elk, other, ''), ...tabs])
  expect([beside.status, ...answers.map(({ status }) => status)]).toEqual(Array(11).fill(200))
  expect(ended.at(-1)).toBe(fox.slug)
  expect(answers.filter(({ text }) => !text.includes('Still counting: 3'))).toEqual([])
})

test('a developer saves the address of a page, which all members see; it leads to no other page', async () => {
  const ann = await join('view@example.org', MemberRole.ANALYST)
  const { text } = await send(fox.session, `/games/${gameId}/data/progress?days=90&build=0&agent=mia&x=y`)
  const at = /href="([^"]*\/views\?[^"]*)"/.exec(text)![1]!.replaceAll('&amp;', '&')
  expect(at).toBe(`/games/${gameId}/views?page=data%2Fprogress&query=days%3D90%26build%3D0`)
  const offered = await send(fox.session, at)
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(offered.text)![1]!
  const sent = { page: field('page'), query: field('query').replaceAll('&amp;', '&'), name: 'Three <months>' }
  const here = `/games/${gameId}/views`
  expect((await send(fox.session, here, { ...sent, page: '../account' })).status).toBe(400)
  expect((await send(ann, here, sent)).status).toBe(403)
  expect((await send(fox.session, here, sent)).to).toBe(`${here}?done=saved`)
  const link = `<a href="/games/${gameId}/data/progress?days=90&amp;build=0">Three &lt;months&gt;</a>`
  for (const page of [here, `/games/${gameId}`]) expect((await send(ann, page)).text, page).toContain(link)
  expect((await send(ann, here)).text).not.toMatch(/Rename|Delete/)
  const [, one] = /action="([^"]*)\/delete"/.exec((await send(fox.session, here)).text)!
  expect((await send(fox.session, one!, { name: 'Quarter' })).to).toBe(`${here}?done=renamed`)
  expect((await send(ann, here)).text).toContain('>Quarter</a>')
  expect((await send(fox.session, `${one}/delete`, {})).to).toBe(`${here}?done=deleted`)
  expect((await send(ann, here)).text).toContain('No saved views yet')
})

test('one click of a mail program, without a page of ours, ends a weekly mail', async () => {
  const weekly = async () => (await fox.on().notices.listNoticeKinds({})).weekly
  expect((await send(fox.session, '/account/mail/weekly', { on: 'on' })).to).toBe('/account/mail?done=weekly')
  expect(await weekly()).toBe(true)
  const [row] = await system.database.sql<{ uuid: string }>('select uuid from weekly_mail')
  const sent = new FormData()
  sent.set('List-Unsubscribe', 'One-Click')
  const click = (code: string) =>
    fetch(`${system.url}/mail/weekly?code=${code}`, { method: 'POST', redirect: 'manual', body: sent })
  expect((await click('x'.repeat(64))).status).toBe(404)
  const code = system.cores[0]!.links.tokenOf(row!.uuid)
  expect((await send('', `/mail/weekly?code=${code}`)).text).toContain('Stop this mail')
  expect(await weekly()).toBe(true)
  expect((await click(code)).status).toBe(200)
  expect(await weekly()).toBe(false)
  expect((await send('', `/mail/weekly?code=${code}`, { page: 'yes' })).to).toBe('/mail/weekly?done=yes')
})

test('a member of two studios switches by a form in the header, and leaves', async () => {
  const owl = await system.studio('Owl')
  const { code } = await fox.on().members.inviteMember({ role: MemberRole.DEVELOPER })
  await owl.on().members.acceptMemberInvitation({ code })
  const { text } = await send(owl.session, '/games')
  const [, other, name] = /name="studio" value="([^"]+)">([^<]+)</.exec(text)!
  expect([name, /<summary[^>]*>([^<]+)</.exec(text)![1]]).toEqual(['Owl', 'Blue Fox'])
  expect((await send(owl.session, `/games/${gameId}/edit`)).status).toBe(200)
  expect((await send(owl.session, '/account/switch', { studio: other! })).to).toBe('/games?done=switched')
  expect((await send(owl.session, '/games?done=switched')).text).toContain('You work for Owl now.')
  expect((await send(owl.session, `/games/${gameId}/edit`)).status).toBe(404)
  expect((await send(owl.session, '/studio/leave')).text).toContain('you are the only one')
  expect((await send(owl.session, '/studio/leave', {})).status).toBe(409)
})

test('an owner changes, removes and hands over by forms; a reload makes no second link', async () => {
  const ben = await join('ben@example.org', MemberRole.DEVELOPER)
  const { accountId } = (await fox.on().members.listMembers({})).members.find(
    ({ email }) => email === 'ben@example.org',
  )!
  const here = `/studio/members/${accountId}`
  expect((await send(fox.session, here)).text).toContain('ben@example.org')
  const again = await send(fox.session, '/studio/members', { role: '2', seen: 'old' })
  expect(again).toMatchObject({ status: 409, text: expect.stringContaining('no new one was made') })
  expect((await send(fox.session, `${here}/role`, { role: '1' })).to).toBe('/studio/secrets?done=analyst')
  expect((await send(ben, '/games/new')).status).toBe(403)
  await send(ben, '/account', { name: '<b>Ben', zone: 'Asia/Kolkata' })
  expect((await send(ben, '/account')).text).toContain('<html lang="en" data-zone="Asia/Kolkata">')
  expect((await send(fox.session, '/studio/members')).text).toContain('&lt;b&gt;Ben')
  const refused = await send(fox.session, `${here}/hand-over`, { password: 'wrong' })
  expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('Your password must be the one of this') })
  expect((await send(fox.session, `${here}/remove`, {})).to).toBe('/studio/secrets?done=removed')
  const { text: secrets } = await send(fox.session, '/studio/secrets?done=removed')
  expect(secrets).toContain('Secrets of games that they have seen still work')
  expect(secrets).toContain(`href="/games/${gameId}/credential/rotate"`)
  expect((await send(ben, '/games')).to).toBe('/start')
})

test('the pages of an end say what goes and what stays, take it back, and every page says when', async () => {
  expect((await send(fox.session, '/studio/delete')).text).toMatch(
    /What goes[^]*What stays[^]*Statements and documents/,
  )
  expect((await send(fox.session, '/account/delete')).text).toContain(
    'You are the only owner of <strong>Blue Fox</strong>',
  )
  const asked = { name: 'Blue Fox', password }
  expect(await send(fox.session, '/studio/delete', { ...asked, name: 'Fox' })).toMatchObject({ status: 400 })
  expect((await send(fox.session, '/studio/delete', asked)).to).toBe('/studio/delete')
  expect((await send(fox.session, '/games')).text).toContain('Blue Fox will be deleted on')
  expect((await send(fox.session, '/studio/keep', {})).to).toBe('/studio/members?done=kept')
  expect((await send(fox.session, '/games')).text).not.toContain('will be deleted')
})
