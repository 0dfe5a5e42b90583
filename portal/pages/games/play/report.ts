import type { GetPublishedGameResponse } from '../../../../gen/lrs/v1/games_pb.js'
import { reportReasons } from '../../../../shared/catalogue.ts'
import { html, type Html } from '../../../web/html.ts'
import type { Visit } from '../../../web/visit.ts'
import { errorOf, form, submit, type Sent } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'

/** Visitors report a game to those who run the service. */
export function reportPage(visit: Visit, { game }: GetPublishedGameResponse, sent: Sent = {}): Html {
  const { say } = visit
  const { name, slug } = game!
  const chosen = sent.values?.('reason')
  return layout(
    visit,
    say.text('complaint.title', { game: name }),
    html`<div class="card">${form(visit, `/g/${slug}/report`, sent, [
      {
        name: 'reason',
        label: say.text('complaint.why'),
        content: html`<fieldset id="field-reason"><legend><strong>${say('complaint.why')}</strong></legend>${errorOf('reason', sent.failure)}${reportReasons.map(
          (reason) =>
            html`<label class="option"><input type="radio" name="reason" value="${reason}" required${
              reason === chosen && html` checked`
            }><span>${say(`complaint.${reason}`)}</span></label>`,
        )}</fieldset>`,
      },
      {
        name: 'text',
        label: say.text('complaint.text'),
        note: say.text('complaint.optional'),
        hint: say.text('complaint.textHint'),
        rows: 5,
      },
      submit(say('complaint.send'), {
        beside: html`<a class="button quiet" href="/g/${slug}">${say('complaint.back', { game: name })}</a>`,
      }),
    ])}</div>`,
    { inLanguage: true, width: 'narrow', styles: ['play.css'], lead: say('complaint.lead') },
  )
}
