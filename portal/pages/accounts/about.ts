import type { ConsentRule } from '../../../gen/lrs/v1/parent_consents_pb.js'
import { erasureRequests } from '../../../shared/limits.ts'
import { html, type Html } from '../../web/html.ts'
import type { TextName } from '../../web/say.ts'
import type { Visit } from '../../web/visit.ts'
import { ruleLine } from '../parts/consent-rule.ts'
import { factsOf } from '../parts/facts.ts'
import { layout } from '../parts/layout.ts'

/** Who runs the service, as its settings say it. */
export interface Operator {
  readonly operatorName?: string | undefined
  readonly operatorAddress?: string | undefined
  readonly operatorContact?: string | undefined
}

/** Who runs the service. */
export const imprintPage = (visit: Visit, operator: Operator): Html =>
  layout(visit, visit.say.text('footer.imprint'), html`${who(visit, operator)}<p>${visit.say('imprint.games')}</p>`, {
    inLanguage: true,
    width: 'narrow',
  })

function who({ say }: Visit, { operatorName, operatorAddress, operatorContact }: Operator): Html {
  const lines = (text: string) => html`${text.split(',').map((line, n) => html`${n > 0 && html`<br>`}${line.trim()}`)}`
  const facts = [
    [say.text('imprint.address'), operatorAddress],
    [say.text('imprint.contact'), operatorContact],
  ] as const
  return html`<section class="card" aria-labelledby="who"><h2 id="who">${say('imprint.who')}</h2>${
    operatorName === undefined
      ? html`<p>${say('imprint.missing')}</p>`
      : html`<p><strong>${operatorName}</strong></p>${factsOf(
          facts.flatMap(([name, text]) => (text === undefined ? [] : [[name, lines(text)] as const])),
        )}`
  }</section>`
}

const parts: readonly (readonly [TextName, ...TextName[]])[] = [
  [
    'privacy.kept',
    'privacy.keptName',
    'privacy.keptResults',
    'privacy.keptConsent',
    'privacy.keptParents',
    'privacy.keptNetwork',
  ],
  ['privacy.sees', 'privacy.seesStudio', 'privacy.seesSchool', 'privacy.seesOperator', 'privacy.seesNobody'],
  ['privacy.long', 'privacy.longData', 'privacy.longBackups'],
  ['privacy.cookies', 'privacy.cookiesText'],
  ['privacy.rights', 'privacy.rightsData', 'privacy.rightsStudio', 'privacy.rightsOperator'],
  ['privacy.accounts', 'privacy.accountsText'],
]

/** What the service keeps of people. @param rule who agrees for the pupils of the visitor's school; undefined: none */
export function privacyPage(visit: Visit, operator: Operator, rule?: ConsentRule): Html {
  const { say } = visit
  const values = {
    days: erasureRequests.days,
    imprint: (content: (string | Html)[]) => html`<a href="/imprint">${content}</a>`,
  }
  return layout(
    visit,
    say.text('footer.privacy'),
    html`${who(visit, operator)}${rule && html`<p>${say('privacy.yourSchool', { rule: ruleLine(visit, rule) })}</p>`}${parts.map(
      ([title, ...texts]) =>
        html`<section><h2>${say(title)}</h2><ul>${texts.map((text) => html`<li>${say(text, values)}</li>`)}</ul></section>`,
    )}`,
    { inLanguage: true, width: 'narrow', lead: say('privacy.lead') },
  )
}
