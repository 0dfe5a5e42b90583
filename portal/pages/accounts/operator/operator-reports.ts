import type { GameReport } from '../../../../gen/lrs/v1/operator_pb.js'
import { html, paragraphs, type Html } from '../../../web/html.ts'
import { isText } from '../../../../shared/texts.ts'
import { inEnglish } from '../../../web/say.ts'
import type { WithAccount } from '../../../web/visit.ts'
import { moment } from '../../parts/amount.ts'
import { form, submit, type Sent } from '../../parts/form.ts'
import { operatorLayout } from '../../operator/operator-layout.ts'

/** What visitors reported of games. @param sent the form of which report was refused */
export function reportsPage(
  visit: WithAccount,
  reports: readonly GameReport[],
  { reportId, done, ...sent }: Sent & { reportId?: string; done?: string | undefined } = {},
): Html {
  const open = reports.filter(({ closed }) => closed === 0n)
  const closed = reports.filter(({ closed }) => closed > 0n)
  return operatorLayout(
    visit,
    'Reports',
    html`${open.length === 0 && html`<div class="card empty"><p>No report is open.</p></div>`}${open.map((report) =>
      card(
        report,
        form(visit, `/operator/reports/${report.reportId}/close`, report.reportId === reportId ? sent : {}, [
          { name: 'note', label: 'What you did', rows: 2 },
          submit('Close the report', { className: 'quiet small' }),
        ]),
      ),
    )}${
      closed.length > 0 &&
      html`<h2>Closed</h2>${closed.map((report) =>
        card(report, html`<p class="hint">Closed ${moment(report.closed)}</p>${paragraphs(report.note)}`),
      )}`
    }`,
    { done },
  )
}

function card({ name, slug, studioId, studioName, reason, text, reported }: GameReport, content: Html): Html {
  const title = `complaint.${reason}`
  return html`<section class="card"><h3>${slug === '' ? name : html`<a href="/g/${slug}">${name}</a>`}</h3>
        <p class="hint"><a href="/operator/studios/${studioId}">${studioName}</a>, ${moment(reported)}</p>
        <p><strong>${isText(title) ? inEnglish(title) : reason}</strong></p>${paragraphs(text)}${content}</section>`
}
