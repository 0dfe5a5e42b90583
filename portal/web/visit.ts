import { randomBytes } from 'node:crypto'
import type { Request, RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import { Reason, type Failure } from '../../gen/lrs/v1/failure_pb.js'
import type { GetAccountResponse, Studio } from '../../gen/lrs/v1/accounts_pb.js'
import { MemberRole, OrganisationKind } from '../../gen/lrs/v1/members_pb.js'
import type { Storage } from '../../storage/storage.ts'
import { addressesOf, type Addresses } from './addresses.ts'
import type { Config } from '../config.ts'
import type { CoreClient } from './core-client.ts'
import { failureIn, PageFailure, statusOf, toLearner } from './failure.ts'
import { html, type Html } from './html.ts'
import type { LiveStreams } from './live-streams.ts'
import { inEnglish, sayTo, type Say } from './say.ts'
import { signInWays } from './sign-in-providers.ts'
import {
  addKnown,
  clearSession,
  csrfToken,
  isCsrfToken,
  keepBegan,
  readBegan,
  readKnown,
  readSession,
  setSession,
} from './session-cookie.ts'

/** What every page needs of the process. */
export interface Portal {
  readonly config: Config
  /** Without a session. */
  readonly core: CoreClient
  readonly log: Logger
  /** Where files of studios are. */
  readonly storage: Storage
  /** Streams of events to open pages. */
  readonly live: LiveStreams
}

/** Who is signed in, with the studio that the session works for. */
export type Account = GetAccountResponse

/** Returns the first value of a field, with `\n` as line break; empty: there is none. */
export type Form = (name: string) => string

export interface Visit {
  readonly request: Request
  readonly response: Response
  /** Core with the visitor's session. */
  readonly core: CoreClient
  /** Undefined: a guest. */
  readonly account: Account | undefined
  /** Guests are not asked to sign up, because people sign in with a provider only. */
  readonly noSignUp: boolean
  readonly form: Form
  /** Parameters of the address. */
  readonly query: Form
  /** The hidden field of forms; empty for guests. */
  readonly csrf: Html
  /** The same for scripts, to be sent as the header `csrf`. */
  readonly csrfToken: string
  /** A form was sent from a page of the portal. */
  readonly isOurs: boolean
  readonly at: Addresses
  /** Address of the browser, from the trusted proxies if there are any. */
  readonly senderIp: string
  readonly session: string
  /** Texts of pages for learners, in their language. */
  readonly say: Say
}
export type WithAccount = Visit & { readonly account: Account }
/** Of a member of a studio. */
export type SignedIn = Visit & { readonly account: Account & { readonly studio: Studio } }

/** A page, or the path to go on at, with GET; nothing: it is answered already. */
export type Answer = Html | string | void
export type Handler<V extends Visit> = (visit: V) => Promise<Answer> | Answer

export const page =
  (portal: Portal, handler: Handler<Visit>): RequestHandler =>
  async (request, response) => {
    await serve(await visitOf(portal, request, response), handler)
  }

/** For browsers that other systems send, also with a form: it reads no account, and its handler proves what came. */
export const elsewhere =
  (portal: Portal, handler: Handler<Visit>): RequestHandler =>
  async (request, response) => {
    await serve(await visitOf(portal, request, response, 'elsewhere'), handler)
  }

/** The pages after that: forms of ours, whose fields say what may be done. It does not matter who is signed in. */
export const guest =
  (portal: Portal, handler: Handler<Visit>): RequestHandler =>
  async (request, response) => {
    await serve(await visitOf(portal, request, response, 'guest'), handler)
  }

/** For accounts, also for those that still have to set up a second factor. */
export const anyAccount =
  (portal: Portal, handler: Handler<WithAccount>): RequestHandler =>
  async (request, response) => {
    const visit = await visitOf(portal, request, response)
    if (!visit.account) throw new PageFailure(Reason.UNAUTHENTICATED, 'Sign in first: the session has ended.')
    await serve(visit as WithAccount, handler)
  }

export const withAccount = (portal: Portal, handler: Handler<WithAccount>): RequestHandler =>
  anyAccount(portal, (visit) => (visit.account.needsSecondFactor ? '/account/security' : handler(visit)))

/** Of a studio or a school. Sends accounts that belong to none to the page that says what they can do. */
export const member = (portal: Portal, handler: Handler<SignedIn>): RequestHandler =>
  withAccount(portal, (visit) =>
    visit.account.studio ? handler(visit as SignedIn) : visit.account.suspended ? '/account' : '/start',
  )

/** Of a studio. */
export const signedIn = (portal: Portal, handler: Handler<SignedIn>): RequestHandler =>
  member(portal, (visit) => (isAtSchool(visit) ? '/classes' : handler(visit)))

/** Of a school. Others are told how to become one, and go on from there. */
export const atSchool = (portal: Portal, handler: Handler<SignedIn>): RequestHandler =>
  withAccount(portal, (visit) =>
    isAtSchool(visit)
      ? handler(visit as SignedIn)
      : `/start?as=teacher&next=${encodeURIComponent(visit.request.originalUrl)}`,
  )

export const teacher = (portal: Portal, handler: Handler<SignedIn>): RequestHandler =>
  atSchool(portal, (visit) => {
    if (isTeacher(visit)) return handler(visit)
    throw new PageFailure(Reason.FORBIDDEN, visit.say.text('school.observer'))
  })

export const isAtSchool = ({ account }: Pick<Visit, 'account'>): boolean =>
  account?.studio !== undefined && account.kind === OrganisationKind.SCHOOL
/** Members of schools read in their language; texts of studios are English. */
export const sayToMember = (visit: Pick<Visit, 'account' | 'say'>): Say => (isAtSchool(visit) ? visit.say : inEnglish)
export const isTeacher = (visit: Pick<Visit, 'account'>): boolean =>
  isAtSchool(visit) && visit.account?.role !== MemberRole.OBSERVER

/** Whether the account makes games for its studio; if not, it only sees data. */
export const isDeveloper = (visit: Pick<Visit, 'account'>): boolean =>
  !isAtSchool(visit) && visit.account !== undefined && visit.account.role >= MemberRole.DEVELOPER
export const isOwner = ({ account }: Pick<Visit, 'account'>): boolean => account?.role === MemberRole.OWNER

export const developer = (portal: Portal, handler: Handler<SignedIn>): RequestHandler =>
  signedIn(portal, (visit) => {
    if (isDeveloper(visit)) return handler(visit)
    throw new PageFailure(
      Reason.FORBIDDEN,
      'You are an analyst of this studio: you see its data. An owner can make you a developer.',
    )
  })

export const owner = (portal: Portal, handler: Handler<SignedIn>): RequestHandler =>
  member(portal, (visit) => {
    if (isOwner(visit)) return handler(visit)
    throw new PageFailure(Reason.FORBIDDEN, 'This page is for owners.')
  })

/** For those who try games: developers their own ones, reviewers those that they review. */
export const tester = (portal: Portal, handler: Handler<WithAccount>): RequestHandler =>
  withAccount(portal, (visit) => {
    if (visit.account.reviewer || isDeveloper(visit)) return handler(visit)
    throw new PageFailure(Reason.FORBIDDEN, 'This page is for developers of a studio.')
  })

export const reviewer = (portal: Portal, handler: Handler<WithAccount>): RequestHandler =>
  withAccount(portal, (visit) => {
    if (!visit.account.reviewer)
      throw notYours(visit, 'reviewer', 'This page is for reviewers.', 'The operator of this service can make you one.')
    return handler(visit)
  })

export const operator = (portal: Portal, handler: Handler<WithAccount>): RequestHandler =>
  withAccount(portal, (visit) => {
    if (!visit.account.admin)
      throw notYours(visit, 'admin', 'This page is for admins.', 'The operator of this service can make you one.')
    return handler(visit)
  })

/** An account whose right waits for its address hears that, and not that it has none. */
const notYours = ({ account }: WithAccount, right: string, whose: string, otherwise: string): PageFailure =>
  new PageFailure(
    Reason.FORBIDDEN,
    account.waitingRights.includes(right)
      ? `${whose} You are one, and this right waits until you verify ${account.email}: open Account, E-mail.`
      : `${whose} ${otherwise}`,
  )

async function serve<V extends Visit>(visit: V, handler: Handler<V>): Promise<void> {
  const answer = await handler(visit)
  if (typeof answer === 'string') visit.response.redirect(303, answer)
  else if (answer) visit.response.type('html').send(answer.text)
}

/**
 * Finds out who visits. Requests that change something must come from a page of the portal.
 * @param as `guest`: no account is read; `elsewhere`: nor does it matter where a form comes from
 * @throws PageFailure
 */
async function visitOf(
  portal: Portal,
  request: Request,
  response: Response,
  as?: 'guest' | 'elsewhere',
): Promise<Visit> {
  const { config, log } = portal
  const at = addressesOf(config, request)
  const { core, senderIp } = guestOf(portal, request)
  const isHttps = isSecure(at)
  const session = as === undefined ? readSession(request, isHttps) : ''
  const own = session === '' ? core : core.as(session)
  const account = session === '' ? undefined : await accountOf(own)
  const token = account ? csrfToken(session) : ''
  const form = formOf(request.body)
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const isOurs = !isRead && (request.get('origin') === at.portal || request.get('sec-fetch-site') === 'same-origin')
  const visit: Visit = {
    request,
    response,
    at,
    account,
    noSignUp: !account && (await signInWays(portal)).only,
    form,
    session,
    isOurs,
    core: account ? own : core,
    query: formOf(request.query),
    csrf: account ? html`<input type="hidden" name="csrf" value="${token}">` : html``,
    csrfToken: token,
    senderIp,
    say: sayTo(request, isHttps),
  }
  response.locals['visit'] = visit
  response.set({
    'Cache-Control': request.headers.cookie === undefined ? 'no-cache' : 'no-store',
    Vary: 'Cookie, Accept-Language',
  })
  if (session !== '' && !account) clearSession(response, isHttps)
  if (!isRead && as !== 'elsewhere') {
    const isMeant = !account || isCsrfToken(form('csrf') || (request.get('csrf') ?? ''), session)
    if (isOurs && isMeant) return visit
    log.warn(
      { path: request.path, origin: request.get('origin'), expected: at.portal, isMeant },
      'a form from elsewhere was refused',
    )
    throw new PageFailure(
      Reason.FORBIDDEN,
      isOurs
        ? 'You signed in again after you opened this form. Open the form again and resend it.'
        : 'This form was not sent from a page of this portal. Go back, reload the page and send it again.',
    )
  }
  return visit
}

/** The address of the caller, and core for it, without a session. */
export function guestOf({ core }: Pick<Portal, 'core'>, request: Request): Pick<Visit, 'core' | 'senderIp'> {
  const senderIp = (request.ip ?? '').replace(/^::ffff:/, '')
  return { core: core.of(senderIp, requestIdOf(request)), senderIp }
}

/** The id that a proxy gave to the request, or a new one. */
const requestIdOf = (request: Request): string =>
  /^[\w.-]{1,64}$/.exec(request.get('x-request-id') ?? '')?.[0] ?? randomBytes(12).toString('base64url')

async function accountOf(core: CoreClient): Promise<Account | undefined> {
  try {
    return await core.accounts.getAccount({})
  } catch (error) {
    if (failureIn(error).reason === Reason.UNAUTHENTICATED) return undefined
    throw error
  }
}

export const isSecure = ({ portal }: Addresses): boolean => portal.startsWith('https:')

export function formOf(fields: unknown): Form {
  const own = new Map(Object.entries((fields ?? {}) as Record<string, unknown>))
  return (name) => {
    const value = [own.get(name)].flat()[0]
    return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : ''
  }
}

/** The failure to show in the form, whose page gets its status. Throws if the session has ended. */
export function refused({ response, account }: Visit, error: unknown): Failure {
  const failure = failureIn(error)
  const isOver = failure.reason === Reason.UNAUTHENTICATED && account !== undefined
  if (isOver || failure.reason === Reason.INTERNAL) throw error
  response.status(statusOf(failure))
  return failure
}

/** The same in the language of the learner. */
export const refusedLearner = (visit: Visit, error: unknown): Failure => toLearner(visit.say, refused(visit, error))

/** Redirects to the next page, with GET. */
export function seeOther({ response }: Visit, path: string): void {
  response.redirect(303, path)
}

/** A path of the portal from an address or form; the page of games for anything else. */
export function ownPath(path: string): string {
  const isOwn =
    /^\/(?![/\\])[\x21-\x7e]*$/.test(path) &&
    !path.includes('\\') &&
    URL.parse(path, 'http://own')?.origin === 'http://own'
  return isOwn ? path : '/games'
}

/** The notice that the parameter `done` of the address names. */
export const notice = (
  { query }: Pick<Visit, 'query'>,
  notices: Readonly<Record<string, string>>,
): string | undefined => (Object.hasOwn(notices, query('done')) ? notices[query('done')] : undefined)

/** A UUID of the address. @throws PageFailure not found */
export function uuid({ request }: Visit, name = 'id'): string {
  const value = String(request.params[name])
  if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value)) return value.toLowerCase()
  throw new PageFailure(Reason.NOT_FOUND, 'There is no page at this address.')
}

/** Sets the cookies of the session and of the known browser. */
export function keepSession(
  { request, response, at }: Visit,
  { session, expires, known }: { session: string; expires: bigint; known: string },
): void {
  setSession(response, isSecure(at), session, expires)
  if (known !== '') addKnown(request, response, isSecure(at), known)
}

/** As much of it as core takes. */
export const userAgent = ({ request }: Visit): string => (request.get('user-agent') ?? '').slice(0, 500)

/** The browser's marks of earlier sessions. */
export const knownBrowser = ({ request, at }: Visit): string => readKnown(request, isSecure(at))

/** The browser's secret while it signs in with a provider; empty: none. */
export const browserSecret = ({ request, at }: Visit): string => readBegan(request, isSecure(at))

/** The same; the browser gets one if it has none. */
export const newBrowserSecret = ({ request, response, at }: Visit): string => keepBegan(request, response, isSecure(at))

/** The browser forgets the session. */
export function dropSession({ response, at }: Visit): void {
  clearSession(response, isSecure(at))
}
