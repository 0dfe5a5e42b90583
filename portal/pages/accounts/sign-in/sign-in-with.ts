import type { SignInProvider } from '../../../../gen/lrs/v1/providers_pb.js'
import { html, type Html } from '../../../web/html.ts'
import type { Say } from '../../../web/say.ts'
import type { Visit } from '../../../web/visit.ts'
import { layout } from '../../parts/layout.ts'
import type { ProblemPage } from './sign-in-problems.ts'

/** @param provider undefined: there is none (any more) */
export function problemPage(visit: Visit, { title, text, again }: ProblemPage, provider?: SignInProvider): Html {
  const it = provider?.label ?? 'the provider'
  const sentence = text(it)
  const start =
    provider &&
    again &&
    !visit.account &&
    html`<a class="button" href="/sign-in/with/${provider.name}">Try again with ${provider.label}</a>`
  const back = visit.account
    ? html`<a class="button quiet" href="/account/providers">Ways to sign in</a>`
    : html`<a class="button quiet" href="/sign-in">All ways to sign in</a>`
  return layout(
    visit,
    title,
    html`<p class="lead">${sentence.charAt(0).toUpperCase() + sentence.slice(1)}</p>
      <p class="actions">${start} ${back}</p>`,
    { width: 'narrow' },
  )
}

/** The buttons below the form of a password. @param query with the page that is wanted after that */
export const providerButtons = (say: Say, providers: readonly SignInProvider[], query: string): Html | undefined =>
  providers.length === 0
    ? undefined
    : html`<section class="ways" aria-label="${say('account.otherWays')}">${providers.map(
        ({ name, label }) =>
          html`<a class="button quiet" href="/sign-in/with/${name}${query}" rel="nofollow">${say('account.with', { provider: label })}</a>`,
      )}</section>`

/** On the page of the account, where there are providers. */
export const linksLink = (say: Say): Html => html`<p><a href="/account/providers">${say('account.ways')}</a></p>`

/** Leads from a form of ours to the provider. */
export const onwardPage = (visit: Visit, url: string): Html =>
  layout(
    visit,
    'Continue',
    html`<p class="lead">You sign in at ${new URL(url).host} now. After that you are back here.</p>
      <p class="actions"><a class="button" href="${url}">Continue to ${new URL(url).host}</a>
        <a class="button quiet" href="/account/providers">Not now</a></p>`,
    { width: 'narrow' },
  )
