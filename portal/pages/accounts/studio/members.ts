import {
  MemberRole,
  type GetMemberInvitationResponse,
  type InviteMemberResponse,
  type Member,
  type MemberInvitation,
} from '../../../../gen/lrs/v1/members_pb.js'
import { members as limits } from '../../../../shared/limits.ts'
import { toMember } from '../../../web/failure.ts'
import { html, type Html } from '../../../web/html.ts'
import { isAtSchool, isOwner, sayToMember, type SignedIn, type Visit } from '../../../web/visit.ts'
import { moment } from '../../parts/amount.ts'
import { codeBlock } from '../../../web/code-block.ts'
import { button, form, hidden, password, submit } from '../../parts/form.ts'
import { layout, studioTabs, type LayoutOptions } from '../../parts/layout.ts'
import { kindName, roleChoices, roleName, roleRights, rolesOf } from './roles.ts'
import type { Sent } from '../../parts/form.ts'

export interface Inviting extends Sent {
  /** The invitation that was just made. */
  readonly made?: InviteMemberResponse
  readonly done?: string
}

/** The newest invitation when the form was shown. It shows whether a form is sent a second time. */
export const newestOf = ([newest]: readonly MemberInvitation[]): string => newest?.invitationId ?? ''

const kindOf = ({ account }: SignedIn) => ({ kind: kindName(account.kind) })
const translated = (visit: SignedIn, { failure, values }: Sent): Sent => ({
  values,
  failure: failure && toMember(sayToMember(visit), failure, { password: 'failed.own_password' }),
})

/** Who belongs to the studio; owners also see and make invitations. */
export function membersPage(
  visit: SignedIn,
  members: readonly Member[],
  invitations: readonly MemberInvitation[],
  { made, done, ...sent }: Inviting = {},
): Html {
  const { studio, kind } = visit.account
  const say = sayToMember(visit)
  return membersLayout(
    visit,
    say.text('member.title'),
    html`
      ${
        made !== undefined &&
        html`<section class="card" aria-labelledby="made"><h2 id="made">${say('member.link')}</h2>
        <p>${say('member.linkWhat', { mailed: made.mailed ? 'yes' : 'no' })}</p>
        ${codeBlock('link', say.text('member.link'), `${visit.at.portal}/members/join?code=${made.code}`, say('member.copy'))}</section>`
      }
      <section aria-labelledby="who"><h2 id="who" class="visually-hidden">${say('member.of', { name: studio.name })}</h2>${memberTable(visit, members)}</section>
      ${
        isOwner(visit) &&
        html`<section class="card" aria-labelledby="invite"><h2 id="invite">${say('member.invite')}</h2>
        ${form(visit, '/studio/members', translated(visit, sent), [
          {
            name: 'role',
            label: say.text('member.roleField'),
            hint: say('member.roleHint', kindOf(visit)),
            required: true,
            of: roleChoices(say, rolesOf(kind).slice(0, 2).toReversed()),
          },
          {
            name: 'email',
            label: say.text('member.forWhom'),
            type: 'email',
            hint: say.text('member.forWhomHint'),
            note: say.text('class.optional'),
            maxLength: 254,
            autocomplete: 'off',
          },
          hidden('seen', newestOf(invitations)),
          html`<p class="hint">${say('member.once', { days: limits.invitationDays })}</p>`,
          submit(say('member.make')),
        ])}</section>
        ${
          invitations.length > 0 &&
          html`<section aria-labelledby="invited"><h2 id="invited">${say('member.open')}</h2>${invitationTable(visit, invitations)}</section>`
        }`
      }
      <hr><div class="actions">${
        isOwner(visit) &&
        !isAtSchool(visit) &&
        html`<a class="button quiet" href="/studio/secrets">Secrets of games</a>`
      }<a class="button quiet" href="/studio/leave">${say('member.leave', kindOf(visit))}</a>${
        isOwner(visit) &&
        html`<a class="button danger" href="/studio/delete">${say('member.delete', kindOf(visit))}</a>`
      }</div>`,
    {
      done,
      scripts: ['copy.js'],
      styles: ['game.css'],
      inLanguage: isAtSchool(visit),
      lead: say('member.lead', kindOf(visit)),
    },
  )
}

const membersLayout = (visit: SignedIn, title: string, content: Html, options: LayoutOptions): Html =>
  layout(visit, title, content, {
    ...(visit.account.role === MemberRole.ANALYST || isAtSchool(visit)
      ? {}
      : { tabs: studioTabs(visit, '/studio/members') }),
    ...options,
  })

function memberTable(visit: SignedIn, members: readonly Member[]): Html {
  const owns = isOwner(visit)
  const say = sayToMember(visit)
  return html`<div class="table"><table class="stack"><thead><tr><th scope="col">${say('member.member')}</th>
      <th scope="col">${say('member.roleField')}</th><th scope="col">${say('member.since')}</th>${
        owns && html`<th scope="col"><span class="visually-hidden">${say('account.change')}</span></th>`
      }</tr></thead>
      <tbody>${members.map(
        ({ accountId, email, name, role, joined }) => html`<tr><th scope="row">${name || email}${
          accountId === visit.account.accountId && html` <span class="badge">${say('member.you')}</span>`
        }${name !== '' && html`<br><span class="muted">${email}</span>`}</th>
        <td data-heading="${say('member.roleField')}">${roleName(say, role)}</td>
        <td data-heading="${say('member.since')}">${moment(joined, 'minute', say.language)}</td>
        ${
          owns &&
          html`<td><a class="button quiet small" href="/studio/members/${accountId}">${say('member.change', { email })}</a></td>`
        }</tr>`,
      )}</tbody></table></div>`
}

function invitationTable(visit: SignedIn, invitations: readonly MemberInvitation[]): Html {
  const say = sayToMember(visit)
  return html`<div class="table"><table class="stack"><thead><tr><th scope="col">${say('member.forWhom')}</th>
      <th scope="col">${say('member.roleField')}</th><th scope="col">${say('member.expires')}</th><th scope="col">
      <span class="visually-hidden">${say('member.revoke')}</span></th></tr></thead>
      <tbody>${invitations.map(
        ({ invitationId, email, role, expires }) => html`<tr><th scope="row">${email || say('member.anyone')}</th>
        <td data-heading="${say('member.roleField')}">${roleName(say, role)}</td>
        <td data-heading="${say('member.expires')}">${moment(expires, 'minute', say.language)}</td>
        <td>${button(visit, `/studio/members/invitations/${invitationId}/revoke`, say('member.revoke'), {
          about: email === '' ? say('member.revokeAny') : say('member.revokeOf', { email }),
        })}</td></tr>`,
      )}</tbody></table></div>`
}

const trailTo = (visit: SignedIn, { accountId, email }: Member, isDeeper: boolean) => [
  { href: '/studio/members', text: sayToMember(visit).text('member.title') },
  ...(isDeeper ? [{ href: `/studio/members/${accountId}`, text: email }] : []),
]

/** A member's role, for owners to change. */
export function memberPage(visit: SignedIn, member: Member, sent: Sent = {}): Html {
  const { accountId, email, role } = member
  const say = sayToMember(visit)
  const here = `/studio/members/${accountId}`
  const isOwners = role === MemberRole.OWNER
  return layout(
    visit,
    email,
    html`<div class="card">${form(visit, `${here}/role`, translated(visit, sent), [
      {
        name: 'role',
        label: say.text('member.roleField'),
        hint: say('member.roleHint', kindOf(visit)),
        required: true,
        of: roleChoices(say, rolesOf(visit.account.kind)),
        value: String(role),
      },
      {
        ...password(say.text('member.yourPassword')),
        note: isOwners ? undefined : say.text('member.passwordNote'),
        hint: isOwners ? say.text('member.passwordHint') : undefined,
        required: isOwners,
      },
      submit(say('member.changeRole')),
    ])}</div>
      ${
        accountId !== visit.account.accountId &&
        html`<hr><div class="actions"><a class="button quiet" href="${here}/hand-over">${say('member.handOver', kindOf(visit))}</a>
          <a class="button danger" href="${here}/remove">${say('member.remove')}</a></div>`
      }`,
    {
      width: 'narrow',
      inLanguage: isAtSchool(visit),
      trail: trailTo(visit, member, false),
      lead: roleRights(say, role),
    },
  )
}

/** Asks before something is done to a member. @param asks for the password of the owner */
function confirm(
  visit: SignedIn,
  member: Member,
  title: string,
  action: string,
  text: Html,
  asks: boolean,
  sent: Sent,
): Html {
  const say = sayToMember(visit)
  return layout(
    visit,
    title,
    html`<div class="card">${form(visit, `/studio/members/${member.accountId}/${action}`, translated(visit, sent), [
      text,
      asks && password(say.text('member.yourPassword')),
      submit(title, {
        className: 'danger',
        beside: html`<a class="button quiet" href="/studio/members/${member.accountId}">${say('member.cancel')}</a>`,
      }),
    ])}</div>`,
    { width: 'narrow', inLanguage: isAtSchool(visit), trail: trailTo(visit, member, true) },
  )
}

export function removePage(visit: SignedIn, member: Member, sent: Sent = {}): Html {
  const say = sayToMember(visit)
  return confirm(
    visit,
    member,
    say.text('member.remove'),
    'remove',
    html`<p>${say('member.removeWhat', { ...kindOf(visit), email: member.email })}</p>
        ${!isAtSchool(visit) && html`<p>Secrets of games that they have seen still work. The next page lists them, to make new ones.</p>`}`,
    member.role === MemberRole.OWNER,
    sent,
  )
}

export function handOverPage(visit: SignedIn, member: Member, sent: Sent = {}): Html {
  const say = sayToMember(visit)
  const title = say.text('member.handOver', kindOf(visit))
  const text = html`<p>${say('member.handOverWhat', { ...kindOf(visit), email: member.email })}</p>`
  return confirm(visit, member, title, 'hand-over', text, true, sent)
}

export function leavePage(visit: SignedIn, sent: Sent = {}): Html {
  const { studio, memberships } = visit.account
  const say = sayToMember(visit)
  const isLast = memberships.some(({ studioId, isLastOwner }) => studioId === studio.studioId && isLastOwner)
  return layout(
    visit,
    say.text('member.leaveTitle', { name: studio.name }),
    isLast
      ? html`<div class="card"><p>${say('member.leaveLast', kindOf(visit))}</p>
        <div class="actions"><a class="button" href="/studio/members">${say('member.title')}</a>
        <a class="button danger" href="/studio/delete">${say('member.delete', kindOf(visit))}</a></div></div>`
      : html`<div class="card">${form(visit, '/studio/leave', translated(visit, sent), [
          html`<p>${say('member.leaveWhat', kindOf(visit))}</p>`,
          submit(say('member.leave', kindOf(visit)), {
            className: 'danger',
            beside: html`<a class="button quiet" href="/account">${say('member.leaveStay')}</a>`,
          }),
        ])}</div>`,
    {
      width: 'narrow',
      inLanguage: isAtSchool(visit),
      trail: [{ href: '/studio/members', text: say.text('member.title') }],
    },
  )
}

/** What the link of an invitation leads to. */
export function joinPage(
  visit: Visit,
  code: string,
  { studioName: name, role, expires, kind }: GetMemberInvitationResponse,
  { failure, ...sent }: Sent = {},
): Html {
  const { say } = visit
  const next = `?next=${encodeURIComponent(`/members/join?code=${code}`)}`
  return layout(
    visit,
    say.text('member.join', { name }),
    html`<div class="card">
        <p>${say('member.invited', { name, role: roleName(say, role) })} ${roleRights(say, role)}</p>
        <p class="hint">${say('member.until', { when: moment(expires, 'minute', say.language) })}</p>
        ${
          visit.account
            ? form(visit, '/members/join', { ...sent, failure: failure && toMember(say, failure) }, [
                html`<input type="hidden" name="code" value="${code}"><p>${say('member.signedIn', { email: visit.account.email })}${
                  visit.account.studio && html` ${say('member.stay')}`
                }</p>`,
                submit(say('member.joinButton', { kind: kindName(kind) })),
              ])
            : html`<p>${say('member.signInFirst')}</p><div class="actions">${
                visit.noSignUp
                  ? html`<a class="button" href="/sign-in${next}">${say('account.signIn')}</a>`
                  : html`<a class="button" href="/sign-up${next}">${say('account.signUp')}</a>
                    <a class="button quiet" href="/sign-in${next}">${say('account.signIn')}</a>`
              }</div>`
        }</div>`,
    // a guest finds no second way to sign up, which would make a studio
    { inLanguage: true, forLearners: !visit.account, width: 'narrow' },
  )
}
