import type { Studio } from '../../gen/lrs/v1/accounts_pb.js'
import type { GameSummary } from '../../gen/lrs/v1/games_pb.js'
import { html, paragraphs, type Html } from '../html.ts'
import type { Visit } from '../visit.ts'
import { field, postForm, problem, submit, textarea } from './form.ts'
import { layout } from './layout.ts'
import { mediaPath } from './media.ts'
import { gameCards } from './published.ts'
import type { Sent } from './sign-in.ts'

/** A studio for everybody: who they are, their games, and a form to write to them. */
export function publicStudioPage(visit: Visit, studio: Studio, games: GameSummary[], sent: Sent = {}, done?: string): Html {
  const { name, about, website, logo } = studio
  return layout(visit, name, html`
      <div class="studio-head">
        ${logo !== '' && html`<img class="logo" src="${mediaPath(logo)}" alt="" width="96" height="96">`}
        <div><h1>${name}</h1>
          ${website !== '' && html`<p><a href="${website}" rel="noopener nofollow ugc">${siteName(website)}</a></p>`}</div>
      </div>
      ${about !== '' && html`<section class="prose" aria-label="About the studio">${paragraphs(about)}</section>`}
      <section aria-labelledby="games"><h2 id="games">Games</h2>
        ${games.length === 0 ? html`<div class="card empty"><p>Nothing is published yet.</p></div>` : gameCards(games)}
      </section>
      ${contact(visit, studio, sent)}`, { bare: true, done, styles: ['game.css', 'account.css'], scripts: ['contact.js'] })
}

/** The widget of the CAPTCHA is loaded by contact.js when somebody begins to write. */
function contact(visit: Visit, { slug, name }: Studio, { failure, values }: Sent): Html {
  return html`
      <section class="contact" aria-labelledby="contact"><h2 id="contact">Write to ${name}</h2>
        <div class="card">
          <noscript><p class="notice warn">Writing takes JavaScript: your browser solves a small puzzle, which keeps out machines that write to everybody.</p></noscript>
          ${postForm(visit, `/studios/${slug}#contact`, html`
          ${problem(failure, ['sender_name', 'sender_email', 'message', 'solution'])}
          ${field({ name: 'sender_name', label: 'Your name', autocomplete: 'name', required: true, maxLength: 200, value: values?.('sender_name'), failure })}
          ${field({ name: 'sender_email', label: 'Your e-mail address', hint: 'The answer goes there. Nobody but the studio sees it.', type: 'email', autocomplete: 'email', required: true, maxLength: 254, value: values?.('sender_email'), failure })}
          ${textarea({ name: 'message', label: 'Message', required: true, rows: 7, value: values?.('message'), failure })}
          <div class="captcha" id="field-solution" data-challenge="/studios/${slug}/challenge"${failure && html` data-now`}>
            <p class="hint">Your browser solves a small puzzle here as soon as you begin to write. It keeps out machines.</p></div>
          ${submit('Send')}`)}
        </div>
      </section>`
}

const siteName = (website: string): string => website.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '')
