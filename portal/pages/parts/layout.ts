import { MemberRole } from '../../../gen/lrs/v1/members_pb.js'
import { html, type Html } from '../../web/html.ts'
import { allLanguages, inEnglish, type Say } from '../../web/say.ts'
import { isAtSchool, isDeveloper, isOwner, type Visit } from '../../web/visit.ts'
import { moment } from './amount.ts'

export interface LayoutOptions {
  /** Modules of portal/public, such as `upload.js`. */
  readonly scripts?: readonly string[]
  /** Further style sheets of portal/public. */
  readonly styles?: readonly string[]
  /** The breadcrumb, outermost first. */
  readonly trail?: readonly { readonly href: string; readonly text: string }[]
  /** Pages of the game that this page is about, in the side bar. */
  readonly side?: { readonly name: string; readonly pages: Html }
  /** Beside the heading: a badge, buttons, filters. */
  readonly aside?: Html
  /** Filters are beside the heading: a second link skips them, too. */
  readonly filtered?: boolean
  /** Between heading and content: `tabs`. */
  readonly tabs?: Html
  /** One or two sentences below the heading. */
  readonly lead?: string | Html
  /**
   * `narrow`: a short form; `wide`: as wide as the window; `whole`: all of the window, without header and footer;
   * `framed`: a short page in a frame of others, without them, too.
   */
  readonly width?: 'narrow' | 'wide' | 'whole' | 'framed'
  /** The page is for learners: it is in their language, few links lead elsewhere, and guests are not asked to sign in. */
  readonly forLearners?: boolean
  /** It is in the language of the visitor. */
  readonly inLanguage?: boolean
  /** What was done, as a notice above everything. */
  readonly done?: string
  /** The content brings its own h1. */
  readonly bare?: boolean
}

/** For titles and large figures; site.css names it, too. Its name has the beginning of its SHA-256. */
const displayFace = '/public/fonts/bricolage-grotesque-700-4c373ce3.woff2'

/** The breadcrumb of a page that belongs to the docs. */
export const docsTrail = [{ href: '/docs', text: 'Docs' }] as const

type Viewer = Pick<Visit, 'account' | 'csrf' | 'noSignUp' | 'request' | 'say'>

/** A whole page around its content. The viewer is undefined if the page failed before the session was read. */
export function layout(viewer: Viewer | undefined, title: string, content: Html, options: LayoutOptions = {}): Html {
  const { scripts = [], styles = [], trail = [], side, aside, tabs, lead, width, done, bare } = options
  const isAlone = width === 'whole' || width === 'framed'
  const isPlain = isAlone || options.forLearners
  const isTranslated = options.forLearners || options.inLanguage
  const say = (isTranslated && viewer?.say) || inEnglish
  const above = [...trail.slice(side ? 0 : 1).map(({ text }) => text), ...(side ? [side.name] : [])]
  return html`<!doctype html>
<html lang="${say.language}"${viewer?.account?.zone && html` data-zone="${viewer.account.zone}"`}>
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${[...new Set([title, ...above, 'Games LRS'])].join(' · ')}</title>
    <link rel="icon" href="/public/icon.svg" type="image/svg+xml">
    ${!isPlain && html`<link rel="preload" href="${displayFace}" as="font" type="font/woff2" crossorigin>`}
    <link rel="stylesheet" href="/public/site.css">
    ${styles.map((name) => html`<link rel="stylesheet" href="/public/${name}">`)}
    ${['time.js', ...scripts].map((name) => html`<script type="module" src="/public/${name}"></script>`)}
  </head>
  <body${isPlain && html` class="plain"`}>
    <a class="skip" href="#content">${say('frame.skip')}</a>${
      options.filtered && html`<a class="skip" href="#results">Skip to the results</a>`
    }
    ${!isAlone && header(viewer, say, options)}
    ${side && html`<div class="beside ${width ?? ''}">${side.pages}`}
    <main id="content" class="${width ?? ''}" tabindex="-1">
      ${
        trail.length > 0 &&
        html`<nav class="trail" aria-label="${say('frame.trail')}"><ol>${trail.map(
          ({ href, text }) => html`<li><a href="${href}">${text}</a></li>`,
        )}</ol></nav>`
      }
      ${done !== undefined && html`<p class="notice good" role="status">${done}</p>`}
      ${
        viewer?.account?.messagesFull &&
        isDeveloper(viewer) &&
        html`<p class="notice bad">You have too many messages. Nobody can send new ones until you
        <a href="/messages">delete some</a>.</p>`
      }
      ${viewer && endings(viewer)}
      ${
        viewer?.account?.waits &&
        html`<p class="notice warn">${
          isAtSchool(viewer)
            ? say('school.verify', {
                email: viewer.account.email,
                link: (parts) => html`<a href="/account/mail">${parts}</a>`,
              })
            : html`${waitingRights(viewer.account.waitingRights)} until you <a
        href="/account/mail">verify ${viewer.account.email}</a>.`
        }</p>`
      }
      ${!bare && html`<div class="heading"><h1>${title}</h1>${aside}</div>`}
      ${tabs}
      ${lead !== undefined && html`<p class="lead">${lead}</p>`}
      ${options.filtered ? html`<div id="results" tabindex="-1">${content}</div>` : content}
    </main>
    ${side && html`</div>`}
    ${width !== 'whole' && footer(viewer, say, options)}
  </body>
</html>
`
}

/** Names the rights that wait for a verified address. */
const waitingRights = (rights: readonly string[]): string =>
  rights.length === 0 ? 'Your rights in studios of others wait' : `Your rights as ${rights.join(' and ')} wait`

const header = (viewer: Viewer | undefined, say: Say, { forLearners, side, width }: LayoutOptions): Html =>
  html`<header class="site-header${side && html` of-game ${width ?? ''}`}">
      <div class="bar">
        <a class="brand" href="/"><img src="/public/icon.svg" alt="" width="28" height="28"> Games LRS</a>
        ${
          side &&
          html`<button class="quiet small pages" popovertarget="side"><span aria-hidden="true">☰</span>
          <span class="visually-hidden">Pages of </span><b>${side.name}</b></button>`
        }
        ${viewer?.account ? navigation(viewer, say) : viewer && !forLearners && guestNavigation(viewer, say)}
      </div>
    </header>`

const ofService = [
  ['/', 'footer.games'],
  ['/docs', 'footer.docs'],
  ['/reporting', 'footer.reporting'],
  ['/packaging', 'footer.packaging'],
  ['/limits', 'footer.limits'],
] as const
const ofOperator = [
  ['/privacy', 'footer.privacy'],
  ['/imprint', 'footer.imprint'],
] as const

function footer(viewer: Viewer | undefined, say: Say, { forLearners, inLanguage, width }: LayoutOptions): Html {
  const isFramed = width === 'framed'
  const links = forLearners ? ofOperator : [...ofService, ...ofOperator]
  return html`<footer class="site-footer"><div class="bar"><nav aria-label="${say('footer.about')}">${links.map(
    ([href, text]) => html`<a href="${href}"${isFramed && html` target="_blank"`}>${say(text)}</a>\n`,
  )}</nav>${viewer && !isFramed && (forLearners || inLanguage) && languageChoice(viewer, say)}</div></footer>`
}

/** Visitors choose the language; the choice stays in this browser. */
const languageChoice = ({ csrf, request }: Viewer, say: Say): Html =>
  html`<form class="actions" method="post" action="/language" aria-label="${say('language.choose')}">${csrf}<input
      type="hidden" name="back" value="${request.originalUrl}">${allLanguages().map(
        (one) =>
          html`<button class="quiet small" name="language" value="${one.language}" lang="${one.language}"${
            one.language === say.language && html` aria-current="true"`
          }>${one('language.name')}</button>`,
      )}</form>`

/** Links to the pages of one thing. */
export const tabs = (
  label: string,
  here: string,
  of: readonly { readonly href: string; readonly text: string }[],
): Html =>
  html`<nav class="tabs" aria-label="${label}"><ul>${of.map(
    ({ href, text }) => html`<li><a href="${href}"${href === here && html` aria-current="page"`}>${text}</a></li>`,
  )}</ul></nav>`

function link({ request }: Viewer, href: string, text: string): Html {
  const isHere = request.path === href || request.path.startsWith(`${href}/`)
  return html`<li><a href="${href}"${isHere && html` aria-current="page"`}>${text}</a></li>`
}

/** The pages of a studio itself. */
export const studioTabs = (viewer: Viewer, here: string): Html =>
  tabs('Studio', here, [
    { href: '/studio', text: 'Profile' },
    { href: '/studio/members', text: 'Members' },
    ...(isOwner(viewer) ? [{ href: '/studio/activity', text: 'Audit log' }] : []),
  ])

function navigation(viewer: Viewer, say: Say): Html {
  const { reviewer, admin, studio } = viewer.account!
  const ofStudio = !studio
    ? []
    : isAtSchool(viewer)
      ? [
          link(viewer, '/classes', say.text('school.classes')),
          link(viewer, '/studio/members', say.text('school.members')),
        ]
      : isDeveloper(viewer)
        ? [link(viewer, '/games', 'Games'), link(viewer, '/studio', 'Studio'), link(viewer, '/messages', 'Messages')]
        : [link(viewer, '/games', 'Games'), link(viewer, '/studio/members', 'Members')]
  return html`
        <nav aria-label="${say('frame.main')}"><ul class="links">
          ${ofStudio}${reviewer && link(viewer, '/reviews', 'Reviews')}${admin && link(viewer, '/operator', 'Operator')}
          ${link(viewer, isAtSchool(viewer) ? '/docs/first-lesson' : '/docs', say.text('school.docs'))}
        </ul></nav>
        <div class="who">
          ${bell(viewer.account!.unread, say)}
          ${whose(viewer, say)}
          <form method="post" action="/sign-out">${viewer.csrf}<button class="quiet small">${say('school.signOut')}</button></form>
        </div>`
}

/** The studio that the session works for; where there are others, a menu of them. */
function whose({ account, csrf }: Viewer, say: Say): Html {
  const { email, studio, memberships } = account!
  const name = studio?.name ?? email
  const others = memberships.filter(({ studioId }) => studioId !== studio?.studioId)
  if (others.length === 0) return html`<a href="/account" title="${say('frame.accountOf', { name })}">${name}</a>`
  return html`<details class="switch"><summary title="${say('frame.accountOf', { name })}">${name}</summary>
            <div class="card menu"><a href="/account">${say('frame.account')}</a>
              <form method="post" action="/account/switch" aria-label="${say('frame.switch')}">${csrf}<p
              class="hint">${say('frame.switch')}</p>${others.map(
                (one) => html`<button class="quiet small" name="studio" value="${one.studioId}">${one.name}</button>`,
              )}</form></div></details>`
}

/** Says that the studio, or the account, will be deleted. */
function endings({ account }: Viewer): Html | undefined {
  if (!account || (account.ends === 0n && account.studioEnds === 0n)) return undefined
  const { ends, studio, studioEnds } = account
  return html`${
    studio &&
    studioEnds > 0n &&
    html`<p class="notice bad">${studio.name} will be deleted on ${moment(studioEnds)}.
      <a href="/studio/delete">${
        account.role === MemberRole.OWNER ? 'Keep it, or see what goes' : 'See what goes'
      }</a>.</p>`
  }${
    ends > 0n &&
    html`<p class="notice bad">Your account will be deleted on ${moment(ends)}. <a href="/account/delete">Keep it, or
      see what goes</a>.</p>`
  }`
}

/** The link to the notifications, with the number of those that are unread. */
const bell = (unread: number, say: Say): Html =>
  html`<a class="bell" href="/notifications" aria-label="${say('frame.news', { unread })}"><svg
      viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><path
      d="M12 3a6 6 0 0 0-6 6v4l-2 4h16l-2-4V9a6 6 0 0 0-6-6Zm-2 16a2 2 0 0 0 4 0"/></svg>${
        unread > 0 && html`<span class="count" aria-hidden="true">${unread > 99 ? '99+' : unread}</span>`
      }</a>`

function guestNavigation({ noSignUp, request: { path: here } }: Viewer, say: Say): Html {
  return html`
        <div class="who">
          <a class="docs-link" href="/"${here === '/' && html` aria-current="page"`}>${say('nav.games')}</a>
          <a class="docs-link" href="/docs"${here === '/docs' && html` aria-current="page"`}>${say('nav.docs')}</a>
          <a class="button quiet small" href="/sign-in"${here === '/sign-in' && html` aria-current="page"`}>${say('nav.signIn')}</a>
          ${
            !noSignUp &&
            html`<a class="button small" href="/sign-up"${
              here === '/sign-up' && html` aria-current="page"`
            }>${say('nav.signUp')}</a>`
          }
        </div>`
}
