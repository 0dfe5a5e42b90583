import type { Studio } from '../../../../gen/lrs/v1/accounts_pb.js'
import type { GameSummary } from '../../../../gen/lrs/v1/games_pb.js'
import { widgetFolder } from './captcha-widget.ts'
import { html, paragraphs, type Html } from '../../../web/html.ts'
import type { Visit } from '../../../web/visit.ts'
import { errorOf, form, submit } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'
import { mediaPath } from '../../parts/media.ts'
import { gameCards } from '../../parts/media.ts'
import type { Sent } from '../../parts/form.ts'

/** The public page of a studio: profile, games, contact form. */
export function publicStudioPage(
  visit: Visit,
  studio: Studio,
  games: GameSummary[],
  sent: Sent = {},
  isSent = false,
): Html {
  const { name, about, website, logo } = studio
  return layout(
    visit,
    name,
    html`
      <div class="studio-head">
        ${logo !== '' && html`<img class="logo" src="${mediaPath(logo)}" alt="" width="96" height="96">`}
        <div><h1>${name}</h1>
          ${website !== '' && html`<p><a href="${website}" rel="noopener nofollow ugc">${siteName(website)}</a></p>`}</div>
      </div>
      ${about !== '' && html`<section class="prose" aria-label="About the studio">${paragraphs(about)}</section>`}
      <section aria-labelledby="games"><h2 id="games">Games</h2>
        ${games.length === 0 ? html`<div class="card empty"><p>Nothing is published yet.</p></div>` : gameCards(games)}
      </section>
      <section class="contact" aria-labelledby="contact"><h2 id="contact">Write to ${name}</h2>
        <div class="card">${isSent ? thanks(studio) : contact(visit, studio, sent)}
        </div>
      </section>`,
    { bare: true, styles: ['game.css', 'account.css'], scripts: isSent ? [] : ['contact.js'] },
  )
}

const thanks = ({ slug, name }: Studio): Html => html`
          <p class="notice good" role="status">${name} has your message and can answer by e-mail.</p>
          <div class="actions"><a class="button quiet" href="/studios/${slug}#contact">Write another message</a></div>`

/** contact.js loads the widget of the CAPTCHA when a visitor starts to write. */
function contact(visit: Visit, { slug }: Studio, sent: Sent): Html {
  const { failure } = sent
  return html`
          <noscript><p class="notice warn">This form needs JavaScript, because your browser solves a small puzzle that
          keeps out spam.</p></noscript>
          ${form(visit, `/studios/${slug}#contact`, sent, [
            { name: 'sender_name', label: 'Your name', autocomplete: 'name', required: true, maxLength: 200 },
            {
              name: 'sender_email',
              label: 'Your e-mail address',
              hint: 'The studio answers to this address. Nobody else sees it.',
              type: 'email',
              autocomplete: 'email',
              required: true,
              maxLength: 254,
            },
            { name: 'message', label: 'Message', required: true, rows: 7 },
            {
              name: 'solution',
              label: 'The spam check',
              content: html`${errorOf('solution', failure)}
          <div class="captcha" id="field-solution" role="group" aria-label="Spam check"${failure?.path === 'solution' && html` aria-describedby="field-solution-error"`}
            data-challenge="/studios/${slug}/challenge" data-widget="${widgetFolder}"${failure && html` data-now`}>
            <p class="hint">When you start to write, a checkbox appears here. Tick it before you send: your browser then solves a small puzzle that keeps out spam.</p></div>`,
            },
            submit('Send'),
          ])}`
}

const siteName = (website: string): string => website.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '')
