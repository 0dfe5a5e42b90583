import type { Failure } from '../../../../gen/lrs/v1/failure_pb.js'
import type { ReadRosterResponse, RosterChanges, RosterFault } from '../../../../gen/lrs/v1/rosters_pb.js'
import { inBytes, rosters as limits } from '../../../../shared/limits.ts'
import { html, type Html } from '../../../web/html.ts'
import type { TextName } from '../../../web/say.ts'
import type { SignedIn } from '../../../web/visit.ts'
import { form, hidden, problem, submit } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'

interface Shown {
  readonly isDone?: boolean
  readonly failure?: Failure
  readonly read?: ReadRosterResponse
  /** What would change now, when what was confirmed could not be done. */
  readonly now?: RosterChanges
  /** It is what was shown before: the number of leavers was wrong. */
  readonly isSame?: boolean
}

/** Classes from a OneRoster file: a form for it, its faults, or its changes to be confirmed. */
export function rosterPage(visit: SignedIn, { isDone, failure, read, now, isSame }: Shown): Html {
  const { say } = visit
  const changes = now ?? read?.changes
  return layout(
    visit,
    say.text('roster.title'),
    html`${problem(failure)}
      ${now && html`<p class="notice warn" role="alert">${say(isSame ? 'roster.wrongNumber' : 'roster.now')}</p>`}
      ${read && read.ignored.length > 0 && html`<p class="hint">${say('roster.ignored', { files: read.ignored.join(', ') })}</p>`}
      ${read && read.faultCount > 0 && faultTable(visit, read)}
      ${changes && changeSection(visit, changes)}
      ${!changes && fileForm(visit)}`,
    {
      inLanguage: true,
      trail: [{ href: '/classes', text: say.text('school.classes') }],
      lead: say.text('roster.lead'),
      ...(isDone && { done: say.text('roster.done') }),
    },
  )
}

const fileForm = ({ csrf, say }: SignedIn): Html =>
  html`<form method="post" action="/roster" enctype="multipart/form-data" class="form card">${csrf}
    <div class="field"><label for="field-zip">${say('roster.file')}</label><p class="hint" id="field-zip-hint">${say(
      'roster.fileHint',
      { size: inBytes(limits.zip) },
    )}</p><input id="field-zip" name="zip" type="file" accept=".zip" required aria-describedby="field-zip-hint"></div>
    <p class="hint">${say('roster.kept')} <a href="/docs/roster">${say('roster.docs')}</a></p>
    ${submit(say('roster.read'))}</form>`

function faultTable({ say }: SignedIn, { faults, faultCount }: ReadRosterResponse): Html {
  const where = ({ file, line, column }: RosterFault) =>
    html`${line > 0 ? say('roster.line', { file, line }) : file}${column !== '' && html`, ${say('roster.column', { column })}`}`
  return html`<div class="notice bad" role="alert"><p>${say('roster.faults', { count: faultCount })} ${
    faultCount > faults.length && say('roster.firstFaults', { shown: faults.length })
  }</p></div><div class="table"><table class="stack"><thead><tr><th scope="col">${say('roster.where')}</th>
    <th scope="col">${say('roster.what')}</th></tr></thead><tbody>${faults.map(
      (one) =>
        html`<tr><th scope="row">${where(one)}</th><td data-heading="${say('roster.what')}">${say(
          `roster.fault.${one.rule}` as TextName,
          { value: one.value, expected: one.expected },
        )}</td></tr>`,
    )}</tbody></table></div>`
}

const sums = [
  'newClasses',
  'renamedClasses',
  'emptiedClasses',
  'joins',
  'moves',
  'renames',
  'leaves',
] as const satisfies readonly (keyof RosterChanges)[]

function changeSection(visit: SignedIn, changes: RosterChanges): Html {
  const { say } = visit
  const there = sums.filter((name) => changes[name] > 0)
  if (there.length === 0) return html`<p class="notice good">${say('roster.nothing')}</p>`
  // moves are among the joins
  const count = there.reduce((sum, name) => sum + (name === 'moves' ? 0 : changes[name]), 0)
  return html`<section aria-labelledby="changes"><h2 id="changes">${say('roster.changes')}</h2>
    <dl class="facts">${there.map((name) => html`<dt>${say(`roster.${name}`)}</dt><dd>${changes[name]}</dd>`)}</dl>
    <p class="hint">${say('roster.teachers')}</p>
    ${changes.leaves > 0 && html`<p class="hint">${say('roster.leavers', { days: limits.goneDays })}</p>`}
    ${form(visit, '/roster/confirm', {}, [
      hidden('roster_id', changes.rosterId),
      hidden('fingerprint', changes.fingerprint),
      changes.manyLeave &&
        html`<p class="notice warn">${say('roster.many', { leaves: changes.leaves, before: changes.before })}</p>`,
      ...(changes.manyLeave
        ? [{ name: 'leavers', label: say.text('roster.number'), type: 'number' as const, required: true }]
        : []),
      submit(say('roster.confirm'), { beside: html`<a class="button quiet" href="/classes">${say('class.back')}</a>` }),
    ])}
    </section>
    <section aria-labelledby="each"><h2 id="each">${say('roster.each')}</h2>${
      count > changes.changes.length &&
      html`<p class="hint">${say('roster.firstChanges', { shown: changes.changes.length, count })}</p>`
    }${changeTable(visit, changes)}</section>`
}

const changeTable = ({ say }: SignedIn, { changes }: RosterChanges): Html =>
  html`<div class="table"><table class="stack"><thead><tr><th scope="col">${say('roster.name')}</th>
    <th scope="col">${say('roster.change')}</th><th scope="col">${say('roster.class')}</th></tr></thead>
    <tbody>${changes.map(
      ({ kind, name, before, className }) =>
        html`<tr><th scope="row">${before === '' ? name : say('roster.before', { name, before })}</th>
        <td data-heading="${say('roster.change')}">${say(`roster.kind${kind}` as TextName)}</td>
        <td data-heading="${say('roster.class')}">${className}</td></tr>`,
    )}</tbody></table></div>`
