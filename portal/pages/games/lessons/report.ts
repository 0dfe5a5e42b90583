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

/** The reports of a class, one for each game, and the addresses of what belongs to them. */
export interface ShownReport {
  readonly reports: readonly GetReportResponse[]
  /** The address of the page, or of one that belongs to it. */
  readonly addressOf: (page: '' | '.csv', pupil?: string) => string
}

const dateOf = ({ say }: SignedIn, opened: bigint): Html => moment(opened, 'minute', say.language)

const gamesIn = ({ say }: SignedIn, reports: readonly GetReportResponse[]): string =>
  new Intl.ListFormat(say.language).format(new Set(reports.map(({ gameName }) => gameName)))

/** What a class did, with links to each pupil. */
export function reportPage(visit: SignedIn, shown: ShownReport): Html {
  const { say } = visit
  const { reports, addressOf } = shown
  const { className, classId, games, opened } = reports[0]!
  const others = opened > 0n ? games : games.filter(({ slug }) => slug !== reports[0]!.gameSlug)
  return frame(
    visit,
    say.text('report.title', { class: className, game: gamesIn(visit, reports) }),
    reports[0]!,
    html`<p>${opened > 0n ? say('report.ofLesson', { date: dateOf(visit, opened) }) : say('report.ofAll')}</p>
      <div class="actions no-print">${printButton(visit)}<a class="button quiet" href="${addressOf('.csv')}">${say('report.csv')}</a>
      <a class="button quiet" href="${addressOf('', 'all')}">${say('report.printAll')}</a></div>
      ${reports.map((report, n) =>
        reports.length === 1
          ? ofGame(visit, report, addressOf)
          : html`<section class="of-game" aria-labelledby="game-${n}"><h2 id="game-${n}">${partOf(visit, reports, report)}</h2>${ofGame(visit, report, addressOf)}</section>`,
      )}
      <details class="figures no-print"><summary>${say('report.words')}</summary><p class="hint">${say('report.meaning')}</p></details>${
        others.length > 0 &&
        html`<section class="no-print" aria-labelledby="games"><h2 id="games">${say(opened > 0n ? 'report.allLessons' : 'report.games')}</h2><ul>${others.map(
          ({ slug, name }) => html`<li><a href="/classes/${classId}/report?game=${slug}">${name}</a></li>`,
        )}</ul></section>`
      }`,
  )
}

/** The name of a game; of one that was started twice, with the time. */
const partOf = (
  visit: SignedIn,
  reports: readonly GetReportResponse[],
  { gameSlug, gameName, opened }: GetReportResponse,
) =>
  html`${gameName}${reports.filter((one) => one.gameSlug === gameSlug).length > 1 && html`, ${dateOf(visit, opened)}`}`

function ofGame(visit: SignedIn, report: GetReportResponse, addressOf: ShownReport['addressOf']): Html {
  const { pupils, levels, wrong } = report
  if (levels.length === 0 && pupils.every(({ seconds }) => seconds === 0))
    return html`<p class="notice">${visit.say('report.none')}</p>`
  return html`${helpList(visit, report)}${levelTable(visit, report)}${pupilTable(visit, report, addressOf)}
      ${wrongTable(visit, wrong, true)}`
}

/** A page for each of these pupils, to print for a parent. */
export const pupilSheets = (visit: SignedIn, { reports }: ShownReport, pupils: readonly ReportPupil[]): Html =>
  frame(
    visit,
    pupils.length === 1
      ? visit.say.text('report.pupilTitle', { name: pupils[0]!.name, game: gamesIn(visit, reports) })
      : visit.say.text('report.printAll'),
    reports[0]!,
    html`<div class="actions no-print">${printButton(visit)}</div>${pupils.map((pupil) => sheet(visit, reports, pupil))}`,
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

function helpList(visit: SignedIn, { pupils, levels }: GetReportResponse): Html {
  const { say } = visit
  const needs = pupils.filter(({ needsHelp }) => needsHelp.length > 0)
  return html`<section><h2>${say('report.help')}</h2>${
    needs.length === 0
      ? html`<p>${say('report.helpNone')}</p>`
      : html`<ul>${needs.map(
          ({ name, needsHelp }) =>
            html`<li>${say('report.helpWith', {
              name: html`<strong>${name}</strong>`,
              level: new Intl.ListFormat(say.language).format(needsHelp.map((at) => nameOf(visit, levels[at]!))),
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
  return html`<section><h2>${say('report.levels')}</h2><div class="table" role="group" aria-label="${say('report.levels')}" tabindex="0"><table
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
  return html`<section><h2>${say('report.pupils')}</h2><div class="table"><table
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

/** A pupil's page for its parents: of what it is, then each game in words. */
function sheet(visit: SignedIn, reports: readonly GetReportResponse[], { name, pupilId }: ReportPupil): Html {
  const { say } = visit
  const [first] = reports
  const of = ({ pupils }: GetReportResponse) => pupils.find((one) => one.pupilId === pupilId)!
  const hasPlayed = reports.some((report) => isPlayed(of(report)))
  const facts: [TextName, Html | string][] = [
    ['report.date', first!.opened > 0n ? dateOf(visit, first!.opened) : say('report.sheetAll')],
    ['report.school', visit.account.studio?.name ?? ''],
    ['report.class', first!.className],
    ['report.game', gamesIn(visit, reports)],
  ]
  return html`<article class="pupil-sheet"><h1>${name}</h1>
      <dl class="facts">${facts.map(([term, fact]) => html`<dt>${say(term)}</dt><dd>${fact}</dd>`)}</dl>${
        hasPlayed
          ? reports.map(
              (report) =>
                html`${reports.length > 1 && html`<h2>${partOf(visit, reports, report)}</h2>`}${sheetOfGame(visit, report, of(report))}`,
            )
          : html`<p>${say('report.nothing', { name })}</p>`
      }</article>`
}

const isPlayed = ({ cells, seconds }: ReportPupil): boolean => seconds > 0 || cells.some(({ tries }) => tries > 0)

function sheetOfGame(visit: SignedIn, { levels }: GetReportResponse, pupil: ReportPupil): Html {
  const { say } = visit
  const { name, cells, seconds, needsHelp, wrong } = pupil
  const played = levels.flatMap((level, n) => (cells[n]!.tries > 0 ? [{ level, cell: cells[n]! }] : []))
  if (!isPlayed(pupil)) return html`<p>${say('report.nothing', { name })}</p>`
  const done = played.filter(({ cell }) => cell.done)
  const first = done.filter(({ cell }) => cell.first === TryEnd.PASSED || cell.first === TryEnd.COMPLETED)
  return html`<p>${say('report.sheetDone', { name, done: done.length, tried: played.length })} ${
    done.length > 0 && say('report.sheetFirst', { first: first.length })
  } ${say('report.sheetTime', { time: say.time(seconds) })}</p>
      ${
        needsHelp.length > 0 &&
        html`<p>${say('report.helpWith', { name, level: new Intl.ListFormat(say.language).format(needsHelp.map((n) => nameOf(visit, levels[n]!))) })}</p>`
      }
      ${
        played.length > 0 &&
        html`<div class="table"><table class="stack"><thead><tr><th scope="col">${say('report.level')}</th><th scope="col"
      class="number">${say('report.tries')}</th><th scope="col">${say('report.first')}</th><th scope="col">${say('report.last')}</th></tr></thead>
      <tbody>${played.map(
        ({ level, cell }) =>
          html`<tr><th scope="row">${nameOf(visit, level)}</th><td class="number" data-heading="${say('report.tries')}">${cell.tries}</td>
          <td data-heading="${say('report.first')}">${endOf(visit, cell.first, cell.firstScore)}</td>
          <td data-heading="${say('report.last')}">${endOf(visit, cell.last, cell.lastScore)}</td></tr>`,
      )}</tbody></table></div>`
      }${wrong.length > 0 && wrongTable(visit, wrong, false)}`
}

const endOf = ({ say }: SignedIn, end: TryEnd, score: number | undefined): Html => {
  const word = TryEnd[end].toLowerCase()
  return score === undefined
    ? say('report.end', { end: word })
    : say('report.endScore', { end: word, share: say.number(score * 100) })
}

const levelColumns = ['tries', 'first', 'last', 'first_score', 'last_score', 'needs_help']
const pupilColumns = ['levels_passed', 'levels_completed', 'levels_failed', 'seconds']

/** The reports as one table: in each game for each pupil a line of all levels, then one for each that it has tried. */
export const reportLines = (visit: Pick<SignedIn, 'say'>, reports: readonly GetReportResponse[]): unknown[][] => [
  ['pupil', 'level', 'activity', ...levelColumns, ...pupilColumns, 'game'],
  ...reports.flatMap((report) => linesOf(visit, report)),
]

function linesOf(visit: Pick<SignedIn, 'say'>, { levels, pupils, gameName }: GetReportResponse): unknown[][] {
  const wordOf = (end: TryEnd): string => TryEnd[end].toLowerCase()
  const yes = (is: boolean): string => (is ? 'yes' : 'no')
  const none = pupilColumns.map(() => '')
  return pupils.flatMap(({ name, cells, needsHelp, passed, completed, failed, seconds }) => {
    const tries = cells.reduce((sum, cell) => sum + cell.tries, 0)
    const ofLevels = cells.map((cell, n) => {
      const { activityId } = levels[n]!
      const ends = [wordOf(cell.first), wordOf(cell.last), cell.firstScore, cell.lastScore]
      return [name, nameOf(visit, levels[n]!), activityId, cell.tries, ...ends, yes(needsHelp.includes(n)), ...none]
    })
    const all = [name, '', '', tries, '', '', '', '', yes(needsHelp.length > 0), passed, completed, failed, seconds]
    return [all, ...ofLevels.filter((_, n) => cells[n]!.tries > 0)].map((line) => [...line, gameName])
  })
}
