import type { GetParentConsentResponse, ParentConsent } from '../../../../gen/lrs/v1/parent_consents_pb.js'
import { erasureRequests } from '../../../../shared/limits.ts'
import { html, paragraphs, type Html } from '../../../web/html.ts'
import type { Visit } from '../../../web/visit.ts'
import { moment } from '../../parts/amount.ts'
import { form, hidden, submit, type Sent } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'

/** Where the link of a parent leads: what is kept, what was said, and the forms to agree and to withdraw. */
export function parentPage(visit: Visit, code: string, of: GetParentConsentResponse, sent: Sent = {}): Html {
  const { say } = visit
  const { pupilName: name, schoolName: school, mayPlay, last } = of
  const { parents, text, version } = of.rule!
  const path = `/parent/${encodeURIComponent(code)}`
  const isAgreed = last?.agreed === true
  const asks = parents && !mayPlay
  const keep = html`<p class="hint">${say('parent.keep')}</p>`
  return layout(
    visit,
    say.text('parent.title', { name }),
    html`${last && html`<p class="notice${isAgreed && mayPlay && html` good`}" role="status">${saidLine(visit, last)}</p>`}
      ${parents ? asks && isAgreed && html`<p class="notice warn">${say('parent.changed')}</p>` : html`<p class="notice">${say('parent.school')}</p>`}
      <section class="card" aria-labelledby="kept"><h2 id="kept">${say('parent.kept')}</h2>
        <ul><li>${say('parent.keptSchool')}</li><li>${say('parent.keptGames')}</li></ul>
        <h2>${say('parent.long')}</h2><ul><li>${say('parent.longSchool')}</li><li>${say('parent.longGames')}</li></ul>
        <p><a href="/privacy">${say('parent.more')}</a></p></section>${
          version > 0 &&
          html`<section class="card" aria-labelledby="text"><h2 id="text">${say('parent.text')}</h2>${paragraphs(text)}
        <p class="muted">${say('parent.version', { version })}</p>${
          asks &&
          form(visit, path, sent, [
            hidden('version', version),
            {
              name: 'parent_name',
              label: say.text('parent.name'),
              required: true,
              maxLength: 100,
              autocomplete: 'name',
            },
            submit(say('parent.agree'), { className: 'large' }),
            !isAgreed && html`<p>${say('parent.no', { name })}</p>`,
            keep,
          ])
        }</section>`
        }${
          parents &&
          isAgreed &&
          html`<section class="card" aria-labelledby="end"><h2 id="end">${say('parent.end')}</h2>${form(
            visit,
            `${path}/withdraw`,
            {},
            [
              html`<p>${say('parent.endWhat', { name })}</p><label class="check"><input type="checkbox" name="erase"
            value="yes"> ${say('parent.erase', { days: erasureRequests.days })}</label>`,
              submit(say('parent.withdraw'), { className: 'large danger' }),
              keep,
            ],
          )}</section>`
        }`,
    { width: 'narrow', forLearners: true, lead: say.text('parent.lead', { school }), styles: ['play.css'] },
  )
}

function saidLine({ say }: Visit, { agreed, onPaper, parentName, at, version }: ParentConsent): Html {
  const when = moment(at, 'minute', say.language)
  if (!agreed) return say('parent.withdrawn', { when })
  return onPaper
    ? say('parent.agreedPaper', { when, version })
    : say('parent.agreed', { name: parentName, when, version })
}
