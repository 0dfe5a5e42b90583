import { MemberRole } from '../../../../gen/lrs/v1/members_pb.js'
import type { PersonalToken } from '../../../../gen/lrs/v1/tokens_pb.js'
import { html, type Html } from '../../../web/html.ts'
import { isAtSchool, type SignedIn } from '../../../web/visit.ts'
import { accountTabs } from './account-tabs.ts'
import { moment } from '../../parts/amount.ts'
import { codeBlock } from '../../../web/code-block.ts'
import { button, errorOf, form, hidden, submit, type Sent } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'

export const tokensPath = '/account/tokens'

/** As core calls them; core checks the role again. */
export const scopes = [
  { name: 'read', role: MemberRole.ANALYST, text: 'Read games, statements and charts' },
  { name: 'sandbox', role: MemberRole.DEVELOPER, text: 'Open sandbox sessions and watch them' },
  { name: 'upload', role: MemberRole.DEVELOPER, text: 'Upload builds and files, submit them for review' },
  { name: 'games', role: MemberRole.DEVELOPER, text: 'Make and change games, submit them for review, roll back' },
  { name: 'roster', role: MemberRole.OWNER, text: 'Take classes of the school from a roster', school: true },
  { name: 'audit', role: MemberRole.OWNER, text: 'Read the audit log of the studio' },
] as const

const days = [7, 30, 90, 180, 365].map((days) => ({ value: String(days), text: `${days} days` }))

export interface Making extends Sent {
  /** The one that was just made. */
  readonly made?: { readonly name: string; readonly token: string }
  readonly done?: string | undefined
  /** The visitor has shown lately who they are. */
  readonly fresh?: boolean
}

/** The newest token when the form was shown. It shows whether a form is sent a second time. */
export const newestToken = ([newest]: readonly PersonalToken[]): string => newest?.tokenId ?? ''

/** Personal tokens of the member, for an owner those of all members, and a form to make one. */
export function tokensPage(
  visit: SignedIn,
  tokens: readonly PersonalToken[],
  { made, done, fresh, ...sent }: Making,
): Html {
  const { studio, role } = visit.account
  return layout(
    visit,
    'Personal tokens',
    html`
      ${
        made &&
        html`<section class="card" aria-labelledby="made"><h2 id="made">The token “${made.name}”</h2>
        <p><strong>Copy it now.</strong> It is shown only once: the service stores only its hash. Keep it as a secret of
        your CI, never in code.</p>
        ${codeBlock('token', 'token', made.token)}
        <p>On the command line, <code>games-lrs</code> reads it from <code>LRS_TOKEN</code>, or from a file with
        <code>--token-file</code>.</p></section>`
      }
      <section class="card" aria-labelledby="make"><h2 id="make">Make a token</h2>
        ${
          fresh
            ? makeForm(visit, tokens, sent)
            : html`<p>A token outlasts your session. To make one, <a href="/account/confirm?next=${tokensPath}">confirm
            that it is you</a>.</p>`
        }</section>
      <section aria-labelledby="tokens"><h2 id="tokens">${
        role === MemberRole.OWNER ? 'Tokens of all members' : 'Your tokens'
      }</h2>
        ${
          tokens.length === 0
            ? html`<p class="muted">There are none.</p>`
            : html`<ul class="activity card">${tokens.map((token) => item(visit, token))}</ul>`
        }</section>`,
    {
      done,
      tabs: accountTabs(visit, tokensPath),
      scripts: ['copy.js'],
      styles: ['game.css', 'account.css'],
      lead: html`For the command line and for CI, in the name of <strong>${studio.name}</strong>. A token never does
      more than you may at that moment, and ends when you leave the studio. It cannot delete games, see secrets or
      change members. <a href="/docs/cli#personal-tokens">How to use one</a>, also <a href="/docs/assistants">with an assistant</a>`,
    },
  )
}

const makeForm = (visit: SignedIn, tokens: readonly PersonalToken[], sent: Sent): Html => {
  const { failure, values } = sent
  return form(visit, tokensPath, sent, [
    hidden('seen', newestToken(tokens)),
    {
      name: 'name',
      label: 'Name',
      hint: 'Where it is used, such as “CI of Chess”.',
      required: true,
      maxLength: 60,
      autocomplete: 'off',
    },
    {
      name: 'scopes',
      label: 'What it may do',
      content: html`<fieldset class="field"><legend>What it may do</legend>${errorOf('scopes', failure)}
    ${scopes
      .filter((scope) => visit.account.role >= scope.role && 'school' in scope === isAtSchool(visit))
      .map(
        ({ name, text }) =>
          html`<label class="option"><input type="checkbox" name="scope_${name}"
          value="yes"${values?.(`scope_${name}`) && html` checked`}> <span><code>${name}</code>: ${text}</span></label>`,
      )}</fieldset>`,
    },
    { name: 'days', label: 'Valid for', value: '90', required: true, of: days },
    submit('Make the token'),
  ])
}

function item(visit: SignedIn, { tokenId, name, email, scopes, created, expires, lastUsed }: PersonalToken): Html {
  const isOver = Number(expires) * 1000 <= Date.now()
  return html`<li>
        <p><b>${name}</b>${email !== visit.account.email && html` of ${email}`}
        ${isOver && html`<span class="badge bad">expired</span>`}</p>
        <p class="hint">${scopes.join(', ')} · made ${moment(created)} · ${isOver ? 'expired' : 'expires'}
        ${moment(expires)} · ${lastUsed > 0n ? html`last used ${moment(lastUsed)}` : 'never used'}</p>
        ${button(visit, `${tokensPath}/${tokenId}/revoke`, 'Revoke', { about: name, className: 'danger small' })}
      </li>`
}
