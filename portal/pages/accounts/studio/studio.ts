import type { Reservation } from '../../../../gen/lrs/v1/reservations_pb.js'
import { inBytes, quotas } from '../../../../shared/limits.ts'
import { html, paragraphs, type Html } from '../../../web/html.ts'
import type { SignedIn } from '../../../web/visit.ts'
import { profileComparison } from '../../parts/comparison.ts'
import { postForm, button, form, submit, type Sent } from '../../parts/form.ts'
import { layout, studioTabs } from '../../parts/layout.ts'
import { mediaPath } from '../../parts/media.ts'
import { uploadBox } from '../../parts/upload-box.ts'
import { moment } from '../../parts/amount.ts'

/** What the studio tells everybody about itself. */
export function studioPage(
  visit: SignedIn,
  reservations: readonly Reservation[],
  sent: Sent = {},
  done?: string,
): Html {
  const { studio } = visit.account
  return layout(
    visit,
    'Studio',
    html`
      ${changes(visit)}
      <div class="halves">
        <section class="card" aria-labelledby="profile"><h2 id="profile">Profile</h2>
          ${form(visit, '/studio', sent, [
            {
              name: 'name',
              label: 'Name',
              autocomplete: 'organization',
              required: true,
              maxLength: 100,
              value: studio.name,
            },
            {
              name: 'website',
              label: 'Website',
              autocomplete: 'url',
              maxLength: 2000,
              placeholder: 'https://',
              value: studio.website,
            },
            {
              name: 'about',
              label: 'About',
              hint: 'Who you are and what you make. A blank line starts a new paragraph.',
              rows: 8,
              value: studio.about,
            },
            submit('Save'),
          ])}
        </section>
        <section class="card" aria-labelledby="logo"><h2 id="logo">Logo</h2>
          ${
            studio.logo !== '' &&
            html`<div class="logo-row"><img class="logo" src="${mediaPath(studio.logo)}" alt="Logo of ${studio.name}" width="96" height="96">
            ${button(visit, '/studio/logo/remove', 'Remove the logo', { className: 'danger small' })}</div>`
          }
          ${uploadBox(visit, {
            id: 'logo-file',
            action: '/uploads',
            kind: 'logo',
            label: studio.logo === '' ? 'Add a logo' : 'Replace the logo',
            hint: `PNG, JPEG, WebP, GIF or AVIF, ${inBytes(quotas.logo.limit)} at most. A square fits best.`,
            accept: 'image/png,image/jpeg,image/webp,image/gif,image/avif',
            next: '/studio?done=logo',
          })}
        </section>
        ${reservationsCard(reservations)}
      </div>`,
    {
      done,
      tabs: studioTabs(visit, '/studio'),
      scripts: ['upload.js'],
      styles: ['game.css', 'account.css'],
      lead: html`People see it on <a href="/studios/${studio.slug}">the studio’s public page</a>.`,
    },
  )
}

/** Shows the changes that are not public, and offers to discard them. */
function changes(visit: SignedIn): Html | undefined {
  const { studio, accepted, changed, waiting, note } = visit.account
  if (!changed || !accepted) return undefined
  const stays = 'Until a reviewer accepts them, people see the last accepted profile.'
  return html`<div class="notice ${!waiting && 'bad'}"><p>${
    waiting
      ? html`<strong>Changes are waiting for review.</strong> ${stays} You can go on editing.`
      : html`<strong>The changes were rejected.</strong> ${stays} Edit the profile again, or discard the changes.`
  }</p>
        ${note !== '' && !waiting && html`<div class="said"><p class="hint">The reviewer writes</p>${paragraphs(note)}</div>`}</div>
      <section class="card" aria-labelledby="changes"><h2 id="changes">What differs</h2>${profileComparison(accepted, studio)}
        ${postForm(visit, '/studio/discard', html`<div class="actions"><button class="danger small">Discard the changes</button></div>`)}</section>`
}

/** The activities that only the studio's own games change. */
function reservationsCard(reservations: readonly Reservation[]): Html {
  return html`
        <section class="card" aria-labelledby="reservations"><h2 id="reservations">Reserved activities</h2>
          <p class="muted">Any game on this service can change the name and the profiles of any activity. Below a
          reserved
            address, only your own games can change them. All games can read them.</p>
          ${
            reservations.length === 0
              ? html`<p>Nothing is reserved for you. Ask the operator of this service to reserve your addresses, such as
              <code>https://your-studio.example/quiz/</code>.</p>`
              : html`<dl class="facts">${reservations.map(({ prefix, granted }) => html`<dt><code>${prefix}</code></dt><dd>since ${moment(granted)}</dd>`)}</dl>`
          }
        </section>`
}
