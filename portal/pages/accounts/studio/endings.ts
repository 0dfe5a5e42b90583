import { secondThoughts } from '../../../../shared/limits.ts'
import { html, type Html } from '../../../web/html.ts'
import { isAtSchool, isOwner, type SignedIn, type Visit, type WithAccount } from '../../../web/visit.ts'
import { moment } from '../../parts/amount.ts'
import { form, password, postForm, submit } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'
import { kindName } from './roles.ts'
import type { Sent } from '../../parts/form.ts'

const listed = (items: readonly string[]): Html => html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`

interface Ending {
  readonly title: string
  readonly goes: readonly string[]
  readonly stays: readonly string[]
  /** When it is deleted; 0: nobody has asked for it. */
  readonly ends: bigint
  readonly keep: Html
  /** The form that asks for it, or why it cannot be. */
  readonly ask: Html
  readonly back: { readonly href: string; readonly text: string }
}

const endingPage = (visit: WithAccount, { title, goes, stays, ends, keep, ask, back }: Ending): Html =>
  layout(
    visit,
    title,
    html`
      <section class="card" aria-labelledby="goes"><h2 id="goes">What goes</h2>${listed(goes)}</section>
      <section class="card" aria-labelledby="stays"><h2 id="stays">What stays</h2>${listed(stays)}</section>
      <section class="card" aria-labelledby="decide"><h2 id="decide">${
        ends > 0n ? html`Deleted on ${moment(ends)}` : 'Delete'
      }</h2>
        ${
          ends > 0n
            ? keep
            : html`<p>Nothing is deleted for ${secondThoughts.days} days. Until then everything works as before, and you
            can cancel the deletion here.</p>${ask}`
        }</section>`,
    { width: 'narrow', trail: [back] },
  )

const confirmation = (visit: Visit, action: string, name: string, label: string, button: string, sent: Sent): Html =>
  form(visit, action, sent, [
    {
      name: 'name',
      label,
      hint: html`Type it, so that nothing is deleted by accident: <strong>${name}</strong>`,
      required: true,
      maxLength: 254,
      autocomplete: 'off',
    },
    password('Your password'),
    submit(button, { className: 'danger' }),
  ])

const ofStudio = {
  goes: [
    'Its games: nobody can play them any more, and running sessions end. Their pages, images, documents and ' +
      'builds are removed.',
    'Their credentials: servers and scripts that report with them are refused.',
    'The profile of the studio with its logo and public page, and the messages that people sent it.',
    'Access of all members, open invitations of members, and activities that were reserved for the studio. The ' +
      'accounts of the members stay.',
  ],
  stays: [
    'Statements and documents that the games stored, and the counts made of them: they belong to learners. ' +
      'Members can no longer read them, so export what you need first. The operator of this service can ' +
      'still read them.',
    'The audit log, for the operator, until its entries are deleted.',
    'The names that learners gave in the player, until the operator erases a learner who asks for it.',
  ],
}
const ofSchool = {
  goes: [
    'Its classes with their pupils, cards and lessons. Nobody knows any more whose the results are.',
    'Access of all members, and open invitations. The accounts of the members stay.',
  ],
  stays: [
    'Results that the games stored, under nicknames.',
    'The audit log, for the operator, until its entries are deleted.',
  ],
}

/** What becomes of a studio or school that is deleted. */
export function deleteStudioPage(visit: SignedIn, sent: Sent = {}): Html {
  const { studio, studioEnds, kind } = visit.account
  const word = kindName(kind)
  return endingPage(visit, {
    title: `Delete ${studio.name}`,
    ...(isAtSchool(visit) ? ofSchool : ofStudio),
    ends: studioEnds,
    keep: isOwner(visit)
      ? postForm(visit, '/studio/keep', html`<p>Until then you can keep it.</p>${submit(`Keep the ${word}`)}`)
      : html`<p>An owner can keep it until then.</p>`,
    ask: isOwner(visit)
      ? confirmation(visit, '/studio/delete', studio.name, `Name of the ${word}`, `Delete the ${word}`, sent)
      : html`<p>Only an owner can delete the ${word}.</p>`,
    back: { href: '/studio/members', text: 'Members' },
  })
}

/** What becomes of an account that is deleted. */
export function deleteAccountPage(visit: WithAccount, sent: Sent = {}): Html {
  const { email, ends, memberships } = visit.account
  const kept = memberships.filter(({ isLastOwner }) => isLastOwner)
  const obstacle = html`<p>You are the only owner of ${kept.map(
    ({ name }, n) => html`${n > 0 && ', '}<strong>${name}</strong>`,
  )}. <a href="/studio/members">Make another member an owner</a>, or <a href="/studio/delete">delete the studio</a>,
  first.${memberships.length > 1 && ' To do that, switch to the studio.'}</p>`
  return endingPage(visit, {
    title: 'Delete the account',
    goes: [
      'The account with its e-mail address and its password. After that, anyone can sign up with the address.',
      'All its sessions, on every device.',
      'Its place in every studio, and its right to review games.',
    ],
    stays: [
      'Studios with their games, builds, texts and data: they belong to the studio, not to one account.',
      'Decisions on reviews, and the audit logs of its studios with its address, until these entries are deleted.',
    ],
    ends,
    keep: postForm(visit, '/account/keep', html`<p>Until then you can keep it.</p>${submit('Keep the account')}`),
    ask:
      kept.length > 0
        ? obstacle
        : confirmation(visit, '/account/delete', email, 'E-mail address', 'Delete the account', sent),
    back: { href: '/account', text: 'Account' },
  })
}
