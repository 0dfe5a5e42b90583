import type { Failure } from '../../../../gen/lrs/v1/failure_pb.js'
import { MemberRole } from '../../../../gen/lrs/v1/members_pb.js'
import type { GetStudioResponse, OperatedStudio, FindStudiosResponse } from '../../../../gen/lrs/v1/operator_pb.js'
import type { GetStudioUsageResponse, Limit } from '../../../../gen/lrs/v1/quotas_pb.js'
import { inEnglish } from '../../../web/say.ts'
import { html, paragraphs, type Html } from '../../../web/html.ts'
import type { WithAccount } from '../../../web/visit.ts'
import { counted, inBytes, moment } from '../../parts/amount.ts'
import { hidden, form, problem, submit, textarea, type Sent } from '../../parts/form.ts'
import { stateBadge } from '../../parts/game-state.ts'
import { action, finder, operatorLayout, questionPage, shown } from '../../operator/operator-layout.ts'
import { table } from '../../parts/table.ts'
import { roleName as nameIn } from '../studio/roles.ts'
import { usageBars } from '../../parts/usage.ts'

const at = ({ studioId }: OperatedStudio): string => `/operator/studios/${studioId}`
const trail = [
  { href: '/operator', text: 'Operator' },
  { href: '/operator/studios', text: 'Studios' },
]
export const roleName = (role: MemberRole): string => nameIn(inEnglish, role).toLowerCase()

/** Whether a studio or account works. */
export const suspendedBadge = (suspended: bigint): Html | false =>
  suspended > 0n && html`<span class="badge bad">Suspended</span>`

export function studiosPage(visit: WithAccount, { studios, total }: FindStudiosResponse): Html {
  const row = (studio: OperatedStudio) => {
    const owner = studio.members.find(({ role }) => role === MemberRole.OWNER)?.email ?? 'nobody'
    return [
      html`<a href="${at(studio)}">${studio.name}</a> ${suspendedBadge(studio.suspended)} ${studio.trusted && html`<span class="badge good">Trusted</span>`}`,
      studio.slug,
      owner,
      String(studio.games),
      inBytes(studio.bytes),
      moment(studio.created),
    ]
  }
  return operatorLayout(
    visit,
    'Studios',
    html`${finder(visit, 'A part of the name, of the name in addresses, or of a member’s address')}
      ${
        studios.length === 0
          ? html`<div class="card empty"><p>No studio is found.</p></div>`
          : table('Studios', ['Studio', 'In addresses', 'Owner', 'Games', 'Storage', 'Since'], studios.map(row))
      }
      ${shown(studios.length, total, 'studios')}`,
  )
}

export function studioPage(
  visit: WithAccount,
  { studio, games }: GetStudioResponse,
  { usage, changed }: GetStudioUsageResponse,
  quotas: readonly Limit[],
  sent: Sent = {},
  done?: string,
): Html {
  const one = studio!
  const { name, slug, suspended, suspendedNote, trusted, members, bytes, created } = one
  return operatorLayout(
    visit,
    name,
    html`
      ${
        suspended > 0n &&
        html`<div class="notice bad"><p><strong>Suspended since ${moment(suspended)}.</strong></p>${paragraphs(suspendedNote)}
        <div class="actions">${action(visit, `${at(one)}/resume`, 'Lift the suspension')}</div></div>`
      }
      <div class="halves">
        <section class="card" aria-labelledby="facts"><h2 id="facts">Studio</h2>
          <dl class="facts"><dt>In addresses</dt><dd>${suspended > 0n ? slug : html`<a href="/studios/${slug}">${slug}</a>`}</dd>
            <dt>Since</dt><dd>${moment(created)}</dd><dt>Storage</dt><dd>${inBytes(bytes)} of builds, images and documents</dd>
            <dt>Reviews</dt><dd>${trusted ? 'Its page and the pages of its games change without review.' : 'Changes of published pages are reviewed.'} Builds are always reviewed.</dd></dl>
          <div class="actions">${action(visit, `${at(one)}/trusted`, trusted ? 'Review its pages again' : 'Trust it with its pages', hidden('trusted', trusted ? '' : 'yes'))}
            ${suspended === 0n && html`<a class="button danger small" href="${at(one)}/suspend">Suspend</a>`}</div></section>
        <section class="card" aria-labelledby="members"><h2 id="members">Members</h2>
          <ul class="plain">${members.map(({ accountId, email, role }) => html`<li><a href="/operator/accounts/${accountId}">${email}</a> <span class="hint">${roleName(role)}</span></li>`)}</ul></section>
      </div>
      ${usageBars(usage, 'Usage')}
      <section class="card" aria-labelledby="quotas"><h2 id="quotas">Change a quota</h2>
        ${changed.length > 0 && html`<p>Changed for this studio: ${changed.map(({ name }) => name).join(', ')}.</p>`}
        ${form(visit, `${at(one)}/quotas`, sent, [
          {
            name: 'name',
            label: 'Quota',
            required: true,
            value: 'storage',
            of: quotas.map(({ anchor, subject }) => ({ value: anchor, text: subject })),
          },
          {
            name: 'limit',
            label: 'New limit',
            note: 'empty: as for everybody',
            hint: 'A number, or bytes such as 40 GB.',
            maxLength: 30,
          },
          submit('Change', { className: 'quiet' }),
        ])}</section>
      <section class="card" aria-labelledby="games"><h2 id="games">${counted(games.length, 'game')}</h2>
        ${
          games.length > 0 &&
          table(
            'Games',
            ['Game', 'State', 'Changed'],
            games.map((game) => [game.name, stateBadge(game.state), moment(game.updated)]),
          )
        }</section>`,
    { trail, done, aside: html`${suspendedBadge(suspended)}` },
  )
}

/** What suspending does, before it is done. */
export const suspendStudioPage = (visit: WithAccount, studio: OperatedStudio, failure?: Failure): Html =>
  questionPage(visit, {
    title: `Suspend ${studio.name}`,
    text: html`${problem(failure, { note: 'Why' })}
      <ul><li>Nobody can work for the studio or upload to it. ${counted(studio.members.length, 'member')} can still sign in and see why.</li>
        <li>Its ${counted(studio.games, 'game')} and its page are hidden, and no session starts.</li>
        <li>All credentials and launch tokens of its games are refused from now on: sessions that run lose their
        connection.</li>
        <li>All data stays. Lifting the suspension brings everything back, with the same credentials.</li></ul>
      ${textarea({ name: 'note', label: 'Why', hint: 'Its members read this.', rows: 3, value: visit.form('note'), failure })}`,
    action: `${at(studio)}/suspend`,
    button: 'Suspend the studio',
    back: at(studio),
    trail: [...trail, { href: at(studio), text: studio.name }],
  })
