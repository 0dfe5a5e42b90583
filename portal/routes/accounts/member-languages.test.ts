import { Code } from '@connectrpc/connect'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { LinkPurpose } from '../../../gen/lrs/v1/links_pb.js'
import { MemberRole, OrganisationKind } from '../../../gen/lrs/v1/members_pb.js'
import { addMadeUpLanguage, madeUp, untranslated } from '../../../test/support/made-up-language.ts'
import { failure, portalConfig, session, stubCore } from '../../../test/support/stub-core.ts'
import { noticeKinds } from '../../../shared/notice-kinds.ts'
import { csrfToken } from '../../web/session-cookie.ts'
import { createPortal, type RunningPortal } from '../../app.ts'
import english from '../../texts/en.json' with { type: 'json' }

const email = 'eve@school.example'
const said: Record<string, unknown>[] = []
const member = { accountId: '22222222-2222-4222-8222-222222222222', email: 'bo@school.example', joined: 1n }
const school = { studioId: '11111111-1111-4111-8111-111111111111', name: 'Hill' }
const core = stubCore({
  accounts: {
    getAccount: (_, { requestHeader }) => {
      if (requestHeader.get('x-lrs-session') !== session)
        throw failure(Reason.UNAUTHENTICATED, 'Sign in first.', { code: Code.Unauthenticated })
      const kind = OrganisationKind.SCHOOL
      const memberships = [
        { ...school, kind, role: MemberRole.OWNER },
        { ...school, studioId: member.accountId, kind, role: MemberRole.OBSERVER },
      ]
      return { studio: school, kind, memberships, email, role: MemberRole.OWNER, mayOwn: 3, verified: false }
    },
    changePassword: () => {
      throw failure(Reason.INVALID, 'current_password: wrong', {
        path: 'current_password',
        code: Code.InvalidArgument,
      })
    },
    signUp: (request) => {
      said.push({ ...request })
      if (request.password === 'short')
        throw failure(Reason.INVALID, 'password: must be longer', { path: 'password', code: Code.InvalidArgument })
      return { mailed: true }
    },
    signIn: ({ password }) => {
      if (password === 'wrong') throw failure(Reason.UNAUTHENTICATED, 'It is wrong.', { code: Code.Unauthenticated })
      return { pending: 'ticket', totp: true, passkey: true }
    },
  },
  signIn: {
    finishSignIn: ({ code }) => {
      throw failure(Reason.INVALID, `code: ${code}`, { path: 'code', code: Code.InvalidArgument })
    },
  },
  providers: { listSignInProviders: () => ({ providers: [{ name: 'school', label: 'School ID' }], only: false }) },
  notices: {
    getMail: () => ({ on: true }),
    listNoticeKinds: () => ({
      kinds: Object.entries(noticeKinds).map(([kind, { title, about, always }]) => ({ kind, title, about, always })),
    }),
  },
  links: {
    sendReset: (request) => {
      said.push({ ...request })
      return {}
    },
    getLink: ({ code }) => ({ email, purpose: Number(code) as LinkPurpose }),
    confirmSignUp: () => {
      throw failure(Reason.INVALID, 'password: is another one', { path: 'password', code: Code.InvalidArgument })
    },
  },
  members: {
    listMembers: () => ({
      members: [
        { ...member, role: MemberRole.TEACHER },
        { ...member, accountId: school.studioId, role: MemberRole.OWNER },
      ],
      invitations: [
        { invitationId: school.studioId, email, role: MemberRole.OBSERVER, expires: 1_900_000_000n },
        { invitationId: member.accountId, role: MemberRole.TEACHER, expires: 1_900_000_000n },
      ],
    }),
    inviteMember: () => ({ code: 'x', mailed: true }),
    getMemberInvitation: ({ code }) => ({
      studioName: 'Hill',
      role: Number(code) as MemberRole,
      kind: OrganisationKind.SCHOOL,
      expires: 1_900_000_000n,
    }),
  },
})
let portal: RunningPortal
beforeAll(async () => {
  portal = await createPortal(portalConfig(), { core, log: pino({ level: 'silent' }) })
})
afterAll(() => portal.close())
afterAll(addMadeUpLanguage(english))

const call = async (path: string, form?: Record<string, string>, cookie = '', language: string = madeUp) => {
  const at = `http://127.0.0.1:${portal.port}`
  return fetch(at + path, {
    method: form ? 'POST' : 'GET',
    headers: { cookie: `language=${language}; ${cookie}`, origin: at },
    redirect: 'manual',
    ...(form && { body: new URLSearchParams(form) }),
  })
}

const known = [email, 'Hill', 'School ID', 'Games LRS', 'English', 'Deutsch']
const joining = encodeURIComponent('/members/join?code=1')
test.each<[string, Record<string, string>?]>([
  ['/sign-in'],
  ['/sign-in?next=/x'],
  ['/sign-in?done=password'],
  ['/sign-in?done=verified'],
  ['/sign-in?ended=2'],
  ['/sign-in', { email, password: 'wrong' }],
  ['/sign-up'],
  [`/sign-up?next=${joining}`],
  ['/sign-up?as=teacher'],
  ['/sign-up', { email, password: 'short' }],
  ['/sign-up', { email, password: 'three calm words' }],
  ['/reset'],
  ['/reset', { email }],
  ...[LinkPurpose.SIGN_UP, LinkPurpose.VERIFY, LinkPurpose.PASSWORD, LinkPurpose.NEW_ADDRESS].map(
    (purpose) => [`/link?code=${purpose}`] as [string],
  ),
  ['/link', { code: String(LinkPurpose.SIGN_UP), password: 'x' }],
  ...[MemberRole.ANALYST, MemberRole.TEACHER, MemberRole.OBSERVER].map(
    (role) => [`/members/join?code=${role}`] as [string],
  ),
])('%s %o has no text that is not in the catalogue', async (path, form) => {
  const body = await (await call(path, form)).text()
  expect(body).toContain(`<html lang="${madeUp}"`)
  expect(untranslated(body, known)).toEqual([])
})

test('an invitation has one way to sign up, which leads back to it', async () => {
  const body = await (await call(`/members/join?code=${MemberRole.TEACHER}`)).text()
  expect(body.match(/href="\/sign-up[^"]*"/g)).toEqual([expect.stringContaining('next=')])
})

const mine = `session=${session}`
test.each<[string, Record<string, string>?]>([
  ['/account'],
  ['/account?done=saved'],
  ['/account/password', { current_password: 'x', password: 'three calm words' }],
  ['/account/mail?done=verify'],
  ['/studio/members?done=role'],
  ['/studio/members', { role: String(MemberRole.TEACHER), email, seen: school.studioId }],
  ['/studio/members', { role: String(MemberRole.TEACHER), email, seen: '' }],
  ...['', '/remove', '/hand-over'].map((page) => [`/studio/members/${member.accountId}${page}`] as [string]),
  ['/studio/leave'],
])('%s %o of a school has no text that is not in the catalogue', async (path, form) => {
  const body = await (await call(path, form && { ...form, csrf: csrfToken(session) }, mine)).text()
  expect(body).toContain(`<html lang="${madeUp}"`)
  const zones = Intl.supportedValuesOf('timeZone')
  expect(
    untranslated(body, [
      ...known,
      member.email,
      ...zones,
      'UTC',
      `http://127.0.0.1:${portal.port}/members/join?code=x`,
    ]),
  ).toEqual([])
})

test('the second step has no text that is not in the catalogue, also when a code is refused', async () => {
  const started = await call('/sign-in', { email, password: 'three calm words' })
  const cookie = started.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  const shown = await (await call(started.headers.get('location')!, undefined, cookie)).text()
  const again = await (await call('/sign-in/second', { code: '1', totp: 'yes', has_passkey: '' }, cookie)).text()
  for (const body of [shown, again]) expect(untranslated(body, known)).toEqual([])
  expect(again).toContain('role="alert"')
})

test('core hears the language of the page', async () => {
  said.length = 0
  await call('/sign-up', { email, password: 'three calm words' }, '', 'de')
  await call('/reset', { email }, '', 'de')
  expect(said).toMatchObject([{ language: 'de' }, { language: 'de' }])
})
