import type { PackagingRule } from '../../../gen/lrs/v1/uploads_pb.js'
import { html, type Html } from '../../web/html.ts'
import type { Visit } from '../../web/visit.ts'
import { docsTrail, layout } from '../parts/layout.ts'

/** The packaging rules, from the table that core checks uploads with. */
export function packagingPage(visit: Visit, rules: PackagingRule[]): Html {
  return layout(
    visit,
    'Packaging rules',
    html`
      <dl class="rules">${rules.map(({ anchor, title, text }) => html`<div id="${anchor}" class="card"><dt><a href="#${anchor}">${title}</a></dt><dd>${text}</dd></div>`)}</dl>`,
    {
      lead: html`Every uploaded file is checked against these rules. A file that breaks a rule is rejected as a whole; the
        error names the entry and the rule. <a href="/docs/launch#where-a-game-runs">Where a game runs</a>`,
      trail: docsTrail,
      styles: ['game.css'],
    },
  )
}
