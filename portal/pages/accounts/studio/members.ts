import {
  MemberRole,
  type GetMemberInvitationResponse,
  type InviteMemberResponse,
  type Member,
  type MemberInvitation,
} from '../../../../gen/lrs/v1/members_pb.js'
import { members as limits } from '../../../../shared/limits.ts'
import { html, type Html } from '../../../web/html.ts'
import { isAtSchool, isOwner, type SignedIn, type Visit } from '../../../web/visit.ts'
import { moment } from '../../parts/amount.ts'
import { codeBlock } from '../../../web/code-block.ts'
import { button, form, hidden, password, submit } from '../../parts/form.ts'
import { layout, studioTabs, type LayoutOptions } from '../../parts/layout.ts'
import { kindName, roleChoices, roleHint, roleNames, roleRights, rolesOf } from './roles.ts'
import type { Sent } from '../../parts/form.ts'

export interface Inviting extends Sent {
  /** The invitation that was just made. */
  readonly made?: InviteMemberResponse
  readonly done?: string
}

/** The newest invitation when the form was shown. It shows whether a form is sent a second time. */
export const newestOf = ([newest]: readonly MemberInvitation[]): string => newest?.invitationId ?? ''

/** Who belongs to the studio; owners also see and make invitations. */
export function membersPage(
  visit: SignedIn,
  members: readonly Member[],
  invitations: readonly MemberInvitation[],
  { made, done, ...sent }: Inviting = {},
): Html {
  const { studio, kind } = visit.account
  return membersLayout(
    visit,
    'Members',
    html`
      ${
        made !== undefined &&
        html`<section class="card" aria-labelledby="made"><h2 id="made">The link</h2>
        <p>${made.mailed ? 'It was sent by mail.' : 'Copy it now, and send it to the new member.'} It is shown only
        once. The first account that accepts it becomes a member.</p>
        ${codeBlock('link', 'link', `${visit.at.portal}/members/join?code=${made.code}`)}</section>`
      }
      <section aria-labelledby="who"><h2 id="who" class="visually-hidden">Members of
      ${studio.name}</h2>${memberTable(visit, members)}</section>
      ${
        isOwner(visit) &&
        html`<section class="card" aria-labelledby="invite"><h2 id="invite">Invite a member</h2>
        ${form(visit, '/studio/members', sent, [
          {
            name: 'role',
            label: 'Role',
            hint: roleHint(visit.account.kind),
            required: true,
            of: roleChoices(rolesOf(visit.account.kind).slice(0, 2).toReversed()),
          },
          {
            name: 'email',
            label: 'For whom',
            type: 'email',
            hint: 'The e-mail address of the new member. Where this service sends mails, it sends the link there.',
            maxLength: 254,
            autocomplete: 'off',
          },
          hidden('seen', newestOf(invitations)),
          html`<p class="hint">The link works once, for ${limits.invitationDays} days.</p>`,
          submit('Make a link'),
        ])}</section>
        ${
          invitations.length > 0 &&
          html`<section aria-labelledby="invited"><h2 id="invited">Open
          invitations</h2>${invitationTable(visit, invitations)}</section>`
        }`
      }
      <hr><div class="actions">${
        isOwner(visit) &&
        !isAtSchool(visit) &&
        html`<a class="button quiet" href="/studio/secrets">Secrets of games</a>`
      }<a class="button quiet" href="/studio/leave">Leave the ${kindName(kind)}</a>${
        isOwner(visit) && html`<a class="button danger" href="/studio/delete">Delete the ${kindName(kind)}</a>`
      }</div>`,
    {
      done,
      scripts: ['copy.js'],
      styles: ['game.css'],
      lead: `Everybody who works for the ${kindName(kind)}, and what they may do.`,
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
  return html`<div class="table"><table class="stack"><thead><tr><th scope="col">Member</th><th scope="col">Role</th>
      <th scope="col">Since</th>${
        owns && html`<th scope="col"><span class="visually-hidden">Change</span></th>`
      }</tr></thead>
      <tbody>${members.map(
        ({ accountId, email, name, role, joined }) => html`<tr><th scope="row">${name || email}${
          accountId === visit.account.accountId && html` <span class="badge">You</span>`
        }${name !== '' && html`<br><span class="muted">${email}</span>`}</th>
        <td data-heading="Role">${roleNames[role]}</td><td data-heading="Since">${moment(joined)}</td>
        ${
          owns &&
          html`<td><a class="button quiet small" href="/studio/members/${accountId}">Change<span
          class="visually-hidden"> ${email}</span></a></td>`
        }</tr>`,
      )}</tbody></table></div>`
}

const invitationTable = (
  visit: Visit,
  invitations: readonly MemberInvitation[],
): Html => html`<div class="table"><table class="stack"><thead><tr><th scope="col">For whom</th>
      <th scope="col">Role</th><th scope="col">Until</th><th scope="col">
      <span class="visually-hidden">Revoke</span></th></tr></thead>
      <tbody>${invitations.map(
        ({ invitationId, email, role, expires }) => html`<tr><th scope="row">${email || 'Anyone with the link'}</th>
        <td data-heading="Role">${roleNames[role]}</td><td data-heading="Until">${moment(expires)}</td>
        <td>${button(visit, `/studio/members/invitations/${invitationId}/revoke`, 'Revoke', {
          about: email === '' ? 'the invitation' : `the invitation for ${email}`,
        })}</td></tr>`,
      )}</tbody></table></div>`

const trailTo = ({ accountId, email }: Member, isDeeper: boolean) => [
  { href: '/studio/members', text: 'Members' },
  ...(isDeeper ? [{ href: `/studio/members/${accountId}`, text: email }] : []),
]

/** A member's role, for owners to change. */
export function memberPage(visit: SignedIn, member: Member, sent: Sent = {}): Html {
  const { accountId, email, role } = member
  const here = `/studio/members/${accountId}`
  const isOwners = role === MemberRole.OWNER
  return layout(
    visit,
    email,
    html`<div class="card">${form(visit, `${here}/role`, sent, [
      {
        name: 'role',
        label: 'Role',
        hint: roleHint(visit.account.kind),
        required: true,
        of: roleChoices(rolesOf(visit.account.kind)),
        value: String(role),
      },
      {
        ...password('Your password'),
        note: isOwners ? undefined : 'only to make an owner',
        hint: isOwners ? 'Changes to an owner need it.' : undefined,
        required: isOwners,
      },
      submit('Change the role'),
    ])}</div>
      ${
        accountId !== visit.account.accountId &&
        html`<hr><div class="actions"><a class="button quiet" href="${here}/hand-over">Hand the ${kindName(visit.account.kind)} over</a>
          <a class="button danger" href="${here}/remove">Remove from the ${kindName(visit.account.kind)}</a></div>`
      }`,
    { width: 'narrow', trail: trailTo(member, false), lead: `${roleNames[role]}: ${roleRights[role]}.` },
  )
}

/** Asks before something is done to a member. @param asks for the password of the owner */
const confirm = (
  visit: SignedIn,
  member: Member,
  title: string,
  action: string,
  text: Html,
  asks: boolean,
  sent: Sent,
) =>
  layout(
    visit,
    title,
    html`<div class="card">${form(visit, `/studio/members/${member.accountId}/${action}`, sent, [
      text,
      asks && password('Your password'),
      submit(title, {
        className: 'danger',
        beside: html`<a class="button quiet" href="/studio/members/${member.accountId}">Cancel</a>`,
      }),
    ])}</div>`,
    { width: 'narrow', trail: trailTo(member, true) },
  )

export const removePage = (visit: SignedIn, member: Member, sent: Sent = {}): Html =>
  confirm(
    visit,
    member,
    'Remove the member',
    'remove',
    html`<p><strong>${member.email}</strong> can no longer see or change anything of the ${kindName(visit.account.kind)}. What
      they made stays.</p>
        ${!isAtSchool(visit) && html`<p>Secrets of games that they have seen still work. The next page lists them, to make new ones.</p>`}`,
    member.role === MemberRole.OWNER,
    sent,
  )

export const handOverPage = (visit: SignedIn, member: Member, sent: Sent = {}): Html =>
  confirm(
    visit,
    member,
    `Hand the ${kindName(visit.account.kind)} over`,
    'hand-over',
    html`<p><strong>${member.email}</strong> becomes an owner, and you become ${isAtSchool(visit) ? 'a teacher' : 'a developer'}. Only an owner can take
      that back.</p>`,
    true,
    sent,
  )

export function leavePage(visit: SignedIn, sent: Sent = {}): Html {
  const { studio, memberships, kind } = visit.account
  const isLast = memberships.some(({ studioId, isLastOwner }) => studioId === studio.studioId && isLastOwner)
  return layout(
    visit,
    `Leave ${studio.name}`,
    isLast
      ? html`<div class="card"><p>A ${kindName(kind)} needs an owner, and you are the only one. Make another member an owner first,
      or delete the ${kindName(kind)}.</p>
        <div class="actions"><a class="button" href="/studio/members">Members</a>
        <a class="button danger" href="/studio/delete">Delete the ${kindName(kind)}</a></div></div>`
      : html`<div class="card">${form(visit, '/studio/leave', sent, [
          html`<p>You can no longer see or change anything of the ${kindName(kind)}, unless an owner invites you again. What you
          made stays.</p>`,
          submit(`Leave the ${kindName(kind)}`, {
            className: 'danger',
            beside: html`<a class="button quiet" href="/account">Stay</a>`,
          }),
        ])}</div>`,
    { width: 'narrow', trail: [{ href: '/studio/members', text: 'Members' }] },
  )
}

/** What the link of an invitation leads to. */
export function joinPage(
  visit: Visit,
  code: string,
  { studioName, role, expires, kind }: GetMemberInvitationResponse,
  sent: Sent = {},
): Html {
  const next = `?next=${encodeURIComponent(`/members/join?code=${code}`)}`
  return layout(
    visit,
    `Join ${studioName}`,
    html`<div class="card">
        <p>You are invited to <strong>${studioName}</strong> as <strong>${roleNames[role].toLowerCase()}</strong>. This role
        ${roleRights[role]}.</p>
        <p class="hint">The invitation works once, until ${moment(expires)}.</p>
        ${
          visit.account
            ? form(visit, '/members/join', sent, [
                html`<input type="hidden" name="code" value="${code}"><p>You are signed in as
                ${visit.account.email}.${visit.account.studio && html` You stay a member where you are one, and can switch between them.`}</p>`,
                submit(`Join the ${kindName(kind)}`),
              ])
            : html`<p>Sign in to accept it.</p><div class="actions">${
                visit.noSignUp
                  ? html`<a class="button" href="/sign-in${next}">Sign in</a>`
                  : html`<a class="button" href="/sign-up${next}">Sign up</a>
                    <a class="button quiet" href="/sign-in${next}">Sign in</a>`
              }</div>`
        }</div>`,
    { width: 'narrow' },
  )
}
