import type { ConsentRule } from '../../../../gen/lrs/v1/parent_consents_pb.js'
import { html, paragraphs, type Html } from '../../../web/html.ts'
import { isOwner, type SignedIn } from '../../../web/visit.ts'
import { ruleLine } from '../../parts/consent-rule.ts'
import { form, submit, type Sent } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'

/** Who agrees for the pupils of the school; an owner sets it. */
export function consentRulePage(visit: SignedIn, rule: ConsentRule, sent: Sent = {}, done?: string): Html {
  const { say } = visit
  return layout(
    visit,
    say.text('school.agree'),
    html`<p class="notice">${ruleLine(visit, rule)}</p>
      <ul><li><strong>${say('school.agreeSchool')}</strong>: ${say('school.agreeSchoolWhat')}</li>
        <li><strong>${say('school.agreeParents')}</strong>: ${say('school.agreeParentsWhat')}</li></ul>${
          isOwner(visit)
            ? html`<div class="card">${form(visit, '/school/consent', sent, [
                {
                  name: 'parents',
                  label: say.text('school.agreeWho'),
                  required: true,
                  value: rule.parents ? 'yes' : 'no',
                  of: [
                    { value: 'no', text: say.text('school.agreeSchool') },
                    { value: 'yes', text: say.text('school.agreeParents') },
                  ],
                },
                {
                  name: 'text',
                  label: say.text('school.agreeText'),
                  hint: say.text('school.agreeTextHint'),
                  rows: 10,
                  required: true,
                  value: rule.text || say.text('school.agreeProposal', { school: visit.account.studio.name }),
                },
                submit(say('school.agreeSave')),
              ])}</div>`
            : html`${
                rule.version > 0 &&
                html`<section class="card" aria-labelledby="text"><h2 id="text">${say('school.agreeText')}</h2>
                <p class="muted">${say('parent.version', { version: rule.version })}</p>${paragraphs(rule.text)}</section>`
              }<p class="muted">${say('school.agreeOwner')}</p>`
        }`,
    {
      inLanguage: true,
      width: 'narrow',
      lead: say.text('school.agreeLead'),
      done,
      trail: [{ href: '/classes', text: say.text('school.classes') }],
    },
  )
}
