import {
  TryEnd,
  type GetReportResponse,
  type ReportPupil,
  type WrongAnswer,
} from '../../../../gen/lrs/v1/lesson_results_pb.js'
import { stuckAfter } from '../../../../shared/limits.ts'
import { html, type Html } from '../../../web/html.ts'
import type { TextName } from '../../../web/say.ts'
import type { SignedIn } from '../../../web/visit.ts'
import { moment } from '../../parts/amount.ts'
import { layout } from '../../parts/layout.ts'
import { trailOf } from './board.ts'
import { nameOf } from './words.ts'

/** A report, and the addresses of what belongs to it. */
export interface ShownReport {
  readonly report: GetReportResponse
  /** The address of the report; `with` adds a parameter. */
  readonly addressOf: (page: '' | '.csv', pupil?: string) => string
}

/** What a class did, with links to each pupil. */
export function reportPage(visit: SignedIn, { report, addressOf }: ShownReport): Html {
  const { say } = visit
  const { pupils, levels, className, gameName, gameSlug, classId, games, opened, wrong } = report
  const hasPlayed = levels.length > 0 || pupils.some(({ seconds }) => seconds > 0)
  const others = games.filter(({ slug }) => slug !== gameSlug)
  return frame(
    visit,
    say.text('report.title', { class: className, game: gameName }),
    report,
    html`<p>${whatOf(visit, report, 'report.ofLesson', 'report.ofAll')}</p>
      <div class="actions no-print">${printButton(visit)}<a class="button quiet" href="${addressOf('.csv')}">${say('report.csv')}</a>
      <a class="button quiet" href="${addressOf('', 'all')}">${say('report.printAll')}</a>${
        opened > 0n &&
        html`<a class="button quiet" href="/classes/${classId}/report?game=${gameSlug}">${say('report.allLessons')}</a>`
      }</div>
      ${
        hasPlayed
          ? html`${helpList(visit, report)}${levelTable(visit, report)}${pupilTable(visit, report, addressOf)}
      ${wrongTable(visit, wrong, true)}
      <details class="figures no-print"><summary>${say('report.words')}</summary><p class="hint">${say('report.meaning')}</p></details>`
          : html`<p class="notice">${say('report.none')}</p>`
      }${
        others.length > 0 &&
        html`<section class="no-print" aria-labelledby="games"><h2 id="games">${say('report.games')}</h2><ul>${others.map(
          ({ slug, name }) => html`<li><a href="/classes/${classId}/report?game=${slug}">${name}</a></li>`,
        )}</ul></section>`
      }`,
  )
}

/** A page for each of these pupils, to print for a parent. */
export const pupilSheets = (visit: SignedIn, { report }: ShownReport, pupils: readonly ReportPupil[]): Html =>
  frame(
    visit,
    pupils.length === 1
      ? visit.say.text('report.pupilTitle', { name: pupils[0]!.name, game: report.gameName })
      : visit.say.text('report.printAll'),
    report,
    html`<div class="actions no-print">${printButton(visit)}</div>${pupils.map((pupil) => sheet(visit, report, pupil))}`,
    pupils.length === 1,
  )

const frame = (visit: SignedIn, title: string, report: GetReportResponse, content: Html, bare = false): Html =>
  layout(visit, title, content, {
    inLanguage: true,
    trail: trailOf(visit, report),
    styles: ['class.css', 'lesson.css'],
    scripts: ['print.js'],
    bare,
  })

const printButton = ({ say }: SignedIn): Html =>
  html`<button type="button" id="print" hidden>${say('report.print')}</button>`

const whatOf = ({ say }: SignedIn, { opened }: GetReportResponse, ofLesson: TextName, ofAll: TextName): Html =>
  opened > 0n ? say(ofLesson, { date: moment(opened, 'minute', say.language) }) : say(ofAll)

function helpList(visit: SignedIn, { pupils, levels }: GetReportResponse): Html {
  const { say } = visit
  const needs = pupils.filter(({ needsHelp }) => needsHelp.length > 0)
  return html`<section aria-labelledby="help"><h2 id="help">${say('report.help')}</h2>${
    needs.length === 0
      ? html`<p>${say('report.helpNone')}</p>`
      : html`<ul>${needs.map(
          ({ name, needsHelp }) =>
            html`<li>${say('report.helpWith', {
              name: html`<strong>${name}</strong>`,
              level: new Intl.ListFormat(say.language).format(needsHelp.map((n) => nameOf(visit, levels[n]!))),
            })}</li>`,
        )}</ul>`
  }<p class="hint">${say('report.helpRule', { tries: stuckAfter.tries })}</p></section>`
}

function levelTable(visit: SignedIn, { levels }: GetReportResponse): Html {
  const { say } = visit
  const columns = [
    ['report.pupilsWith', 'pupils'],
    ['report.done', 'done'],
    ['report.doneFirst', 'doneFirst'],
    ['report.doneLast', 'doneLast'],
    ['report.needHelp', 'needHelp'],
  ] as const
  return html`<section aria-labelledby="levels"><h2 id="levels">${say('report.levels')}</h2><div class="table"><table
      class="stack"><thead><tr><th scope="col">${say('report.level')}</th>${columns.map(
        ([text]) => html`<th scope="col" class="number">${say(text)}</th>`,
      )}</tr></thead><tbody>${levels.map(
        (level) =>
          html`<tr><th scope="row">${nameOf(visit, level)}</th>${columns.map(
            ([text, field]) => html`<td class="number" data-heading="${say(text)}">${level[field]}</td>`,
          )}</tr>`,
      )}</tbody></table></div></section>`
}

function pupilTable(visit: SignedIn, { pupils }: GetReportResponse, addressOf: ShownReport['addressOf']): Html {
  const { say } = visit
  const columns = [
    ['report.passed', 'passed'],
    ['report.completed', 'completed'],
    ['report.failed', 'failed'],
  ] as const
  return html`<section aria-labelledby="pupils"><h2 id="pupils">${say('report.pupils')}</h2><div class="table"><table
      class="stack"><thead><tr><th scope="col">${say('report.pupil')}</th>${columns.map(
        ([text]) => html`<th scope="col" class="number">${say(text)}</th>`,
      )}<th scope="col" class="number">${say('report.time')}</th></tr></thead><tbody>${pupils.map(
        (pupil) =>
          html`<tr><th scope="row"><a href="${addressOf('', pupil.pupilId)}">${pupil.name}</a>${pupil.more && ' *'}</th>${columns.map(
            ([text, field]) => html`<td class="number" data-heading="${say(text)}">${pupil[field]}</td>`,
          )}<td class="number" data-heading="${say('report.time')}">${pupil.seconds > 0 ? say.time(pupil.seconds) : '–'}</td></tr>`,
      )}</tbody></table></div>${pupils.some(({ more }) => more) && html`<p class="hint">${say('report.more')}</p>`}</section>`
}

function wrongTable(visit: SignedIn, wrong: readonly WrongAnswer[], ofClass: boolean): Html {
  const { say } = visit
  return html`<section><h2>${say('report.wrong')}</h2>${
    wrong.length === 0
      ? html`<p>${say('report.wrongNone')}</p>`
      : html`<div class="table"><table class="stack"><thead><tr><th scope="col">${say('report.question')}</th><th
        scope="col">${say('report.answer')}</th>${ofClass && html`<th scope="col" class="number">${say('report.pupils')}</th>`}<th
        scope="col" class="number">${say('report.times')}</th></tr></thead><tbody>${wrong.map(
          ({ activityId, question, answer, pupils, times }) =>
            html`<tr><th scope="row">${nameOf(visit, { activityId, name: question })}</th><td
            data-heading="${say('report.answer')}">${answer}</td>${
              ofClass && html`<td class="number" data-heading="${say('report.pupils')}">${pupils}</td>`
            }<td class="number" data-heading="${say('report.times')}">${times}</td></tr>`,
        )}</tbody></table></div>`
  }</section>`
}

function sheet(visit: SignedIn, report: GetReportResponse, pupil: ReportPupil): Html {
  const { say } = visit
  const { levels, className, gameName } = report
  const { name, cells, passed, completed, failed, seconds, needsHelp, wrong } = pupil
  const played = levels.flatMap((level, n) => (cells[n]!.tries > 0 ? [{ level, cell: cells[n]! }] : []))
  const heading = html`<h1>${say('report.pupilTitle', { name, game: gameName })}</h1><p>${className}. ${whatOf(visit, report, 'report.sheetLesson', 'report.sheetAll')}</p>`
  if (played.length === 0 && seconds === 0)
    return html`<article class="pupil-sheet">${heading}<p>${say('report.nothing', { name })}</p></article>`
  return html`<article class="pupil-sheet">${heading}
      <p><strong>${say('report.sheet', { passed, completed, failed })}</strong> ${say('report.sheetTime', { time: say.time(seconds) })}</p>
      <div class="table"><table class="stack"><thead><tr><th scope="col">${say('report.level')}</th><th scope="col"
      class="number">${say('report.tries')}</th><th scope="col">${say('report.first')}</th><th scope="col">${say('report.last')}</th></tr></thead>
      <tbody>${played.map(
        ({ level, cell }) =>
          html`<tr><th scope="row">${nameOf(visit, level)}</th><td class="number" data-heading="${say('report.tries')}">${cell.tries}</td>
          <td data-heading="${say('report.first')}">${endOf(visit, cell.first, cell.firstScore)}</td>
          <td data-heading="${say('report.last')}">${endOf(visit, cell.last, cell.lastScore)}</td></tr>`,
      )}</tbody></table></div>
      ${
        needsHelp.length > 0 &&
        html`<h2>${say('report.needs')}</h2><ul>${needsHelp.map((n) => html`<li>${nameOf(visit, levels[n]!)}</li>`)}</ul>`
      }${wrong.length > 0 && wrongTable(visit, wrong, false)}</article>`
}

const endOf = ({ say }: SignedIn, end: TryEnd, score: number | undefined): Html => {
  const word = TryEnd[end].toLowerCase()
  return score === undefined
    ? say('report.end', { end: word })
    : say('report.endScore', { end: word, share: say.number(score * 100) })
}

const levelColumns = ['tries', 'first', 'last', 'first_score', 'last_score', 'needs_help']
const pupilColumns = ['levels_passed', 'levels_completed', 'levels_failed', 'seconds']

/** The report as a table: for each pupil a line of all levels, then one for each level that it has tried. */
export function reportLines(visit: Pick<SignedIn, 'say'>, { levels, pupils }: GetReportResponse): unknown[][] {
  const wordOf = (end: TryEnd): string => TryEnd[end].toLowerCase()
  const yes = (is: boolean): string => (is ? 'yes' : 'no')
  return [
    ['pupil', 'level', 'activity', ...levelColumns, ...pupilColumns],
    ...pupils.flatMap(({ name, cells, needsHelp, passed, completed, failed, seconds }) => {
      const tries = cells.reduce((sum, cell) => sum + cell.tries, 0)
      const ofLevels = cells.map((cell, n) => {
        const { activityId } = levels[n]!
        const [first, last] = [wordOf(cell.first), wordOf(cell.last)]
        const scores = [cell.firstScore, cell.lastScore]
        return [
          name,
          nameOf(visit, levels[n]!),
          activityId,
          cell.tries,
          first,
          last,
          ...scores,
          yes(needsHelp.includes(n)),
        ]
      })
      const all = [name, '', '', tries, '', '', '', '', yes(needsHelp.length > 0), passed, completed, failed, seconds]
      return [all, ...ofLevels.filter((_, n) => cells[n]!.tries > 0)]
    }),
  ]
}
