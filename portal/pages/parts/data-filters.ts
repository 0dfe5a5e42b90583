import type { AnswerBuild } from '../../../gen/lrs/v1/answers_pb.js'
import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { isCutValue } from '../../../shared/result-address.ts'
import { html, type Html } from '../../web/html.ts'
import { counted, dayName } from './amount.ts'
import { hidden } from './form.ts'
import { dataPath, type DataView, type Days } from './data-view.ts'

/** Days that one click chooses. */
export const ranges = [7, 30, 90] as const
/** Days that core counts at once. */
const mostDays = 366

/** What charts can be narrowed to: a build, or a value of the game's cut. */
export type Choice = Pick<AnswerBuild, 'number' | 'name' | 'people'>

/** What of the bar's choices is wrong. */
export interface Problem {
  readonly message: string
  /** As they were typed. */
  readonly since: string
  readonly until: string
}

const dayMs = 86_400_000
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** The last `days` days up to today. @param zone of the IANA database, whose today it is */
export function lastDays(days: number, zone = 'UTC'): Days {
  const to = new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format()
  return { from: dayOf(Date.parse(to) - (days - 1) * dayMs), to }
}

/** First and last day of the query; one that is missing follows from the other. Undefined: none is chosen. */
export function chosenDays(since: string, until: string, days: number): Days | Problem | undefined {
  const [from, to] = [dayIn(since), dayIn(until)]
  // the list of statements takes times in the same fields, which are no days
  if ((since !== '' && from === undefined) || (until !== '' && to === undefined)) return undefined
  if (from === undefined && to === undefined) return undefined
  const first = from ?? to! - (days - 1) * dayMs
  const last = to ?? Math.max(Date.parse(dayOf(Date.now())), first)
  if (first > last) return { message: 'The first day is after the last one.', since, until }
  if (last - first >= mostDays * dayMs) return { message: `Choose ${mostDays} days at most.`, since, until }
  return { from: dayOf(first), to: dayOf(last) }
}

/** When the day begins in UTC, in milliseconds; undefined: it is no day. */
export function dayIn(text: string): number | undefined {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return Number.isNaN(time) || dayOf(time) !== text ? undefined : time
}

/** The number of a build, or of a value of the cut, in the query. */
export function buildIn(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

export const daysOf = ({ chosen, days, zone }: DataView): Days => chosen ?? lastDays(days, zone)

/** As many days, right before these. */
export function daysBefore({ from, to }: Days): Days {
  const [first, last] = [Date.parse(from), Date.parse(to)]
  return { from: dayOf(first - (last - first) - dayMs), to: dayOf(first - dayMs) }
}

/** The days in words: `30 days`, or from when to when. */
export const inDays = ({ chosen, days }: DataView): string =>
  chosen ? `${withYear(chosen.from)} to ${withYear(chosen.to)}` : `${days} days`
const withYear = (day: string): string => `${dayName(day)} ${day.slice(0, 4)}`

/** The name of a build, or of a value, that may have sent nothing in these days. */
export const buildName = (builds: readonly Choice[], number: number): string =>
  builds.find((one) => one.number === number)?.name ??
  (number === 0 ? 'Build not known' : isCutValue(number) ? 'A value without players' : `Build ${number}`)

/**
 * Links for the usual days, and a form for others, for builds and for values of the cut.
 * @param builds undefined: the page is of all builds
 * @param cut what the values are called; undefined: there is no cut
 * @param settingsAt where zone and cut are set, for those who may
 */
export function filterBar(
  game: Game,
  view: DataView,
  page: string,
  builds: readonly Choice[] | undefined,
  {
    problem,
    cut,
    settingsAt,
  }: { problem?: Problem | undefined; cut?: string | undefined; settingsAt?: string | undefined } = {},
): Html {
  const choice = (days: number) =>
    html`<li><a href="${dataPath(game, page, {
      ...view,
      days,
      chosen: undefined,
    })}"${!view.chosen && days === view.days && html` aria-current="true"`}>${days}<span class="unit"> days</span></a></li>`
  const zone = view.zone ?? 'UTC'
  return html`<nav class="choice" aria-label="Range"><ul>${ranges.map(choice)}${
    view.chosen && html`<li><a href="#days" aria-current="true">${inDays(view)}</a></li>`
  }</ul></nav>
        <details class="others" id="days"${problem && html` open`}><summary>${summary(view, builds)}${
          view.compare === undefined && html`<span class="zone"> · ${zone}</span>`
        }</summary>
        <form method="get" class="card" action="${dataPath(game, page, plain)}" aria-label="Days and builds">
          ${view.sandbox && hidden('from', 'sandbox')}${view.days !== 30 && hidden('days', view.days)}
          ${!builds && html`${kept('build', view.build)}${kept('compare', view.compare)}`}
          ${problem && html`<p class="notice bad" role="alert">${problem.message}</p>`}
          ${day('since', 'First day', problem?.since ?? view.chosen?.from)}
          ${day('until', 'Last day', problem?.until ?? view.chosen?.to)}
          ${
            builds &&
            builds.length > 0 &&
            html`${choiceOf('build', cut === undefined ? 'Build' : `Build or ${cut}`, { '': 'All builds' }, builds, view.build)}
            ${choiceOf('compare', 'Compare with', { '': 'Nothing', before: 'As many days before' }, builds, view.compare)}`
          }
          <div class="actions"><button>Show</button> <a class="button quiet" href="${dataPath(game, page, {
            ...plain,
            sandbox: view.sandbox,
          })}">Reset</a></div>
          <p class="hint">Days are those of ${zone}, the time zone of the studio, for everybody. A statement belongs to
          the day of its timestamp.${settingsAt !== undefined && html` <a href="${settingsAt}">Change the time zone or what charts can be filtered by</a>`}</p>
        </form></details>`
}

const plain = { sandbox: false, days: 30 }

const kept = (name: string, value: string | number | undefined) => value !== undefined && hidden(name, value)

function summary({ build, compare }: DataView, builds: readonly Choice[] | undefined): string {
  if (!builds || builds.length === 0) return 'All builds'
  const name = build === undefined ? 'All builds' : buildName(builds, build)
  if (compare === undefined) return name
  return `${name} vs ${compare === 'before' ? 'the days before' : buildName(builds, compare)}`
}

const day = (name: string, label: string, value = ''): Html =>
  html`<label>${label}<input type="date" name="${name}" value="${value}"></label>`

/** @param others what can be chosen before the builds, by value */
function choiceOf(
  name: string,
  label: string,
  others: Readonly<Record<string, string>>,
  builds: readonly Choice[],
  chosen: string | number | undefined,
): Html {
  const option = (value: string, text: string) =>
    html`<option value="${value}"${value === String(chosen) && html` selected`}>${text}</option>`
  const isKnown = typeof chosen !== 'number' || builds.some(({ number }) => number === chosen)
  const all = isKnown ? builds : [{ number: chosen, name: buildName(builds, chosen), people: 0n }, ...builds]
  return html`<label>${label}<select name="${name}">
      ${Object.entries(others).map(([value, text]) => option(value, text))}${all.map(({ number, name, people }) =>
        option(String(number), `${name} (${counted(people, 'player')})`),
      )}</select></label>`
}
