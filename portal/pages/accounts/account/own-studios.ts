import { MemberRole, OrganisationKind } from '../../../../gen/lrs/v1/members_pb.js'
import { toLearner } from '../../../web/failure.ts'
import { html, type Html } from '../../../web/html.ts'
import { isAtSchool, sayToMember, type WithAccount } from '../../../web/visit.ts'
import { form, hidden, schoolName, studioName, postForm, submit } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'
import { roleName } from '../studio/roles.ts'
import type { Sent } from '../../parts/form.ts'

const ownedBy = ({ account }: WithAccount): number =>
  account.memberships.filter(({ role }) => role === MemberRole.OWNER).length

/** The studios of the account: to switch to, to leave, to add. */
export function ownStudios(visit: WithAccount): Html {
  const { memberships, studio, mayOwn } = visit.account
  const say = sayToMember(visit)
  const rows = memberships.map(({ studioId, name, role }) => {
    const isHere = studioId === studio?.studioId
    const action = isHere
      ? html`<a class="button quiet small" href="/studio/leave">${say('account.leave', { name })}</a>`
      : postForm(
          visit,
          '/account/switch',
          html`<button class="quiet small" name="studio" value="${studioId}">${say('account.switch', { name })}</button>`,
          'inline',
        )
    return html`<tr><th scope="row">${name}</th><td data-heading="${say('account.role')}">${roleName(say, role)}${
      isHere && html` <span class="badge good">${say('account.here')}</span>`
    }</td><td>${action}</td></tr>`
  })
  return html`<section aria-labelledby="studios"><h2 id="studios">${say('account.studios')}</h2>
        ${
          rows.length === 0
            ? html`<div class="card empty"><p>You belong to no studio.</p><div class="actions">
            <a class="button" href="/start">See what you can do</a></div></div>`
            : html`<div class="table"><table class="stack"><thead><tr><th scope="col">${say('account.studio')}</th>
            <th scope="col">${say('account.role')}</th><th scope="col"><span
            class="visually-hidden">${say('account.change')}</span></th></tr></thead>
            <tbody>${rows}</tbody></table></div>`
        }
        ${
          rows.length > 0 &&
          ownedBy(visit) < mayOwn &&
          html`<div class="actions"><a class="button quiet" href="/start${isAtSchool(visit) && '?as=teacher'}">${say('account.another')}</a></div>`
        }
      </section>`
}

/** For accounts without a studio, and for those that may own another one. */
export function startPage(visit: WithAccount, sent: Sent = {}): Html {
  if ((sent.values ?? visit.query)('as') === 'teacher') return teacherStartPage(visit, sent)
  const { memberships, mayOwn } = visit.account
  const isNone = memberships.length === 0
  return layout(
    visit,
    isNone ? 'You belong to no studio' : 'Open a studio',
    html`
      ${
        ownedBy(visit) < mayOwn
          ? html`<section class="card" aria-labelledby="open">
          <h2 id="open">${isNone ? 'Open your own' : 'A studio of your own'}</h2>${form(visit, '/start', sent, [
            studioName,
            submit('Open the studio'),
          ])}</section>`
          : html`<p class="notice">You own as many studios as you may. The operator of this service can allow more.</p>`
      }
      <p class="beside">Do you teach? <a href="/start?as=teacher">Open a school</a>.</p>
      <section class="card" aria-labelledby="join"><h2 id="join">Join a studio</h2>
        <p>Ask one of its owners to invite you: they do that on the page <strong>Members</strong>. Open the link that
        you get while you are signed in as ${visit.account.email}.</p></section>`,
    {
      width: 'narrow',
      lead: isNone ? 'Games, builds and data belong to studios. Open one, or join one.' : undefined,
      done: visit.query('done') === 'left' ? 'You have left the studio.' : undefined,
    },
  )
}

/** For accounts that want to work for a school: their own ones to switch to, or a new one. */
function teacherStartPage(visit: WithAccount, { failure, ...sent }: Sent): Html {
  const { say, account } = visit
  const next = (sent.values ?? visit.query)('next') || '/classes'
  const schools = account.memberships.filter(({ kind }) => kind === OrganisationKind.SCHOOL)
  return layout(
    visit,
    say.text('school.start'),
    html`${
      schools.length > 0 &&
      html`<section class="card" aria-labelledby="mine"><h2 id="mine">${say('school.mine')}</h2>${postForm(
        visit,
        '/account/switch',
        html`${hidden('next', next)}${schools.map(
          ({ studioId, name }) =>
            html`<button name="studio" value="${studioId}">${say('school.switch', { name })}</button>`,
        )}`,
      )}</section>`
    }${
      ownedBy(visit) < account.mayOwn
        ? html`<section class="card" aria-labelledby="open"><h2 id="open">${say('school.open')}</h2>${form(
            visit,
            '/start',
            { ...sent, failure: failure && toLearner(say, failure) },
            [hidden('next', next), hidden('as', 'teacher'), schoolName(say), submit(say('school.openButton'))],
          )}</section>`
        : html`<p class="notice">${say('school.full')}</p>`
    }
      <section class="card" aria-labelledby="join"><h2 id="join">${say('school.join')}</h2>
        <p>${say('school.joinHow', { email: account.email })}</p></section>`,
    { width: 'narrow', lead: say.text('school.startLead'), inLanguage: true },
  )
}
