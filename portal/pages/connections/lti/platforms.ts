import type { ListPlatformsResponse, LtiCheck, LtiPlatform, LtiRefusal } from '../../../../gen/lrs/v1/lti_pb.js'
import { lti as limits } from '../../../../shared/limits.ts'
import { html, type Html } from '../../../web/html.ts'
import type { Say } from '../../../web/say.ts'
import { isOwner, type SignedIn } from '../../../web/visit.ts'
import { moment } from '../../parts/amount.ts'
import { button, form, question, submit, type Sent } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'
import { table } from '../../parts/table.ts'
import { whyOf } from './why.ts'

const trail = (say: Say) => [
  { href: '/classes', text: say.text('school.classes') },
  { href: '/platforms', text: say.text('platform.title') },
]

/** The platforms of a school, and how to add one. @param link by which one may register itself */
export function platformsPage(
  visit: SignedIn,
  { platforms, schoolId }: ListPlatformsResponse,
  sent: Sent = {},
  link?: string,
): Html {
  const { say } = visit
  const owns = isOwner(visit)
  return layout(
    visit,
    say.text('platform.title'),
    html`<p><a href="/platforms/refused">${say('platform.refusals')}</a> · <a href="/docs/lti">${say('platform.how')}</a></p>${
      platforms.length === 0
        ? html`<div class="card empty"><p class="muted">${say('platform.none')}</p></div>`
        : table(
            say.text('platform.title'),
            [say.text('platform.name'), say.text('platform.issuer'), say.text('platform.clientId')],
            platforms.map(({ platformId, name, issuer, clientId }) => [
              html`<a href="/platforms/${platformId}">${name}</a>`,
              issuer,
              clientId,
            ]),
          )
    }
      ${
        owns &&
        html`<section class="card" aria-labelledby="own"><h2 id="own">${say('platform.register')}</h2>
        <p>${say('platform.registerHint', { minutes: limits.registrationMinutes })}</p>${
          link !== undefined &&
          html`<p class="notice good" role="status">${say('platform.registerLink')}<br><code>${link}</code></p>`
        }${button(visit, '/platforms/register', say('platform.registerButton'), { className: '' })}</section>
        <section class="card" aria-labelledby="hand"><h2 id="hand">${say('platform.byHand')}</h2>
        <p>${say('platform.addresses')}</p>${addresses(visit, schoolId)}
        <h3>${say('platform.shows')}</h3>${form(visit, '/platforms', sent, [...fields(say), submit(say('platform.add'))])}</section>`
      }`,
    { inLanguage: true, lead: say.text('platform.lead'), trail: trail(say).slice(0, 1) },
  )
}

/** What the platform asks for. */
const addresses = ({ say, at }: SignedIn, schoolId: string): Html =>
  table(
    say.text('platform.addresses'),
    [say.text('platform.field'), say.text('platform.value')],
    (
      [
        ['platform.toolUrl', '/lti/launch'],
        ['platform.initiateUrl', `/lti/login/${schoolId}`],
        ['platform.redirectUrl', '/lti/launch'],
        ['platform.pickUrl', '/lti/launch'],
        ['platform.keysUrl', `/lti/jwks/${schoolId}`],
      ] as const
    ).map(([name, path]) => [say.text(name), html`<code>${at.portal}${path}</code>`]),
  )

/** @param of undefined: a new one */
function fields(say: Say, of?: LtiPlatform) {
  const required = true
  return [
    { name: 'name', label: say.text('platform.name'), value: of?.name ?? '', required, maxLength: 100 },
    ...(of
      ? []
      : [
          { name: 'issuer', label: say.text('platform.issuer'), hint: say.text('platform.issuerHint'), required },
          { name: 'client_id', label: say.text('platform.clientId'), required },
        ]),
    { name: 'login_url', label: say.text('platform.loginUrl'), value: of?.loginUrl ?? '', required },
    { name: 'token_url', label: say.text('platform.tokenUrl'), value: of?.tokenUrl ?? '', required },
    { name: 'jwks_url', label: say.text('platform.jwksUrl'), value: of?.jwksUrl ?? '', required },
    {
      name: 'deployments',
      label: say.text('platform.deployments'),
      hint: say.text('platform.deploymentsHint'),
      value: of?.deployments.join('\n') ?? '',
      rows: 2,
      note: '',
    },
    {
      name: 'origins',
      label: say.text('platform.origins'),
      hint: say.text('platform.originsHint'),
      value: of?.origins.join('\n') ?? '',
      rows: 2,
      note: '',
    },
  ]
}

/** One platform: its settings, a test launch, its end. */
export function platformPage(visit: SignedIn, of: LtiPlatform, checks: readonly LtiCheck[], sent: Sent = {}): Html {
  const { say, query } = visit
  const path = `/platforms/${of.platformId}`
  const done = query('done')
  return layout(
    visit,
    of.name,
    html`<dl><dt>${say('platform.issuer')}</dt><dd><code>${of.issuer}</code></dd>
        <dt>${say('platform.clientId')}</dt><dd><code>${of.clientId}</code></dd></dl>
      ${
        isOwner(visit) &&
        html`<section class="card" aria-labelledby="test"><h2 id="test">${say('platform.test')}</h2>
        <p>${say('platform.testHint')}</p>${checks.length > 0 && checkTable(say, checks)}${button(
          visit,
          `${path}/test`,
          say('platform.testButton'),
          { className: '' },
        )}</section>
        <section class="card" aria-labelledby="change"><h2 id="change">${say('platform.change')}</h2>${form(
          visit,
          path,
          sent,
          [...fields(say, of), submit(say('class.save'))],
        )}</section><h2>${say('platform.remove')}</h2>${question(
          visit,
          `${path}/remove`,
          html`<p>${say('platform.removeWhat')}</p>`,
          say.text('platform.remove'),
          '/platforms',
          { stay: say.text('platform.keep') },
        )}`
      }`,
    {
      inLanguage: true,
      trail: trail(say),
      done: done === 'added' || done === 'saved' ? say.text('platform.saved') : undefined,
    },
  )
}

const checkTable = (say: Say, checks: readonly LtiCheck[]): Html =>
  table(
    say.text('why.claim'),
    [say.text('why.claim'), say.text('why.result'), say.text('why.came'), say.text('why.expected')],
    checks.map(({ claim, came, expected, passed }) => [
      html`<code>${claim}</code>`,
      html`<span class="badge ${passed ? 'good' : 'bad'}">${say(passed ? 'why.passed' : 'why.failed')}</span>${
        !passed && html`<br>${say(`why.${whyOf(claim)}`)}`
      }`,
      came,
      expected,
    ]),
  )

/** Why logins and launches were refused. */
export function refusalsPage(visit: SignedIn, refusals: readonly LtiRefusal[]): Html {
  const { say } = visit
  return layout(
    visit,
    say.text('platform.refusals'),
    refusals.length === 0
      ? html`<div class="card empty"><p class="muted">${say('why.none')}</p></div>`
      : table(
          say.text('platform.refusals'),
          [
            say.text('why.when'),
            say.text('platform.name'),
            say.text('why.claim'),
            say.text('why.came'),
            say.text('why.expected'),
            say.text('why.fix'),
          ],
          refusals.map(({ refused, platform, claim, came, expected }) => [
            html`${moment(refused)}`,
            platform,
            html`<code>${claim}</code>`,
            came,
            expected,
            html`${say(`why.${whyOf(claim)}`)}`,
          ]),
        ),
    {
      inLanguage: true,
      width: 'wide',
      lead: say.text('why.lead', { days: limits.refusalDays, refusals: limits.refusals }),
      trail: trail(say),
    },
  )
}
