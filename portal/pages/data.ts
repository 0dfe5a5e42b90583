import type { Game } from '../../gen/lrs/v1/games_pb.js'
import type { GetInsightsResponse, InsightActivity, InsightRefusal } from '../../gen/lrs/v1/insights_pb.js'
import { inBytes, launchHours, sizes } from '../../shared/limits.ts'
import { nameOf } from '../describe.ts'
import { html, type Html } from '../html.ts'
import type { Visit } from '../visit.ts'
import { counted, dayName, moment } from './amount.ts'
import { bars, histogram, inlineBar, legend, lines } from './charts.ts'
import { dataLayout, dataPath, type DataView } from './data-layout.ts'

export const ranges = [7, 30, 90] as const

/** What learners did in the last days, in charts. */
export function dataPage(visit: Visit, game: Game, view: DataView, insights: GetInsightsResponse): Html {
  const isEmpty = insights.days.every(({ statements, refusals }) => statements === 0n && refusals === 0n)
  return dataLayout(
    visit,
    game,
    view,
    'data',
    html`
      ${!insights.complete && html`<p class="notice" role="status">Still counting: ${counted(insights.behind, 'statement')} to go. The page updates itself.</p>`}
      ${isEmpty && insights.complete ? nothing(game, view) : charts(game, view, insights)}`,
    { choice: rangeChoice(game, view) },
  )
}

function rangeChoice(game: Game, view: DataView): Html {
  const choice = (days: number) =>
    html`<li><a href="${dataPath(game, 'data', { ...view, days })}"${days === view.days && html` aria-current="true"`}>${days} days</a></li>`
  return html`<nav class="choice" aria-label="Range"><ul>${ranges.map(choice)}</ul></nav>`
}

function nothing(game: Game, view: DataView): Html {
  const { gameId, slug } = game.summary!
  if (view.sandbox) {
    return html`<div class="card empty"><h2>Nothing from the sandbox yet</h2>
        <p>Play your build as a test learner: each statement appears next to the game as it arrives. The counts appear here.</p>
        ${view.makes && html`<p class="actions"><a class="button" href="/games/${gameId}/sandbox">Open a sandbox session</a></p>`}</div>`
  }
  if (!game.credential) {
    return html`<div class="card empty"><h2>No learners yet</h2>
        <p>Charts start with the first statement of a published game. Sandbox statements are counted separately.</p>
        <p class="actions">${view.makes && html`<a class="button" href="/games/${gameId}">See the next step</a> `}<a class="button quiet" href="${dataPath(game, 'data', { ...view, sandbox: true })}">Show the sandbox</a></p></div>`
  }
  const longer = ranges.find((days) => days > view.days)
  return html`<div class="card empty"><h2>Nothing in these ${view.days} days</h2>
      <p>A statement counts on the day it arrives, in UTC. ${view.makes ? 'Invite learners, or choose' : 'Choose'} a longer range.</p>
      <p class="actions">${view.makes && slug !== '' && html`<a class="button" href="/games/${gameId}/invitations">Invite learners</a> `}
        ${longer !== undefined && html`<a class="button quiet" href="${dataPath(game, 'data', { ...view, days: longer })}">Show ${longer} days</a>`}</p></div>`
}

function charts(game: Game, view: DataView, insights: GetInsightsResponse): Html {
  const { days, verbs, refusals, learners, sessions } = insights
  const labels = days.map(({ day }) => dayName(day))
  const total = (pick: (day: (typeof days)[number]) => bigint) => days.reduce((sum, day) => sum + Number(pick(day)), 0)
  const [statements, refused] = [total((day) => day.statements), total((day) => day.refusals)]
  const activities = insights.activities.map((one) => ({
    ...one,
    name: one.name || (nameOf(one.activityId, game.summary) ?? ''),
  }))
  const levels = activities.filter(({ completions, passed, failed }) => completions + passed + failed > 0n)
  const scored = activities.filter(({ scored }) => scored > 0n)
  const most = days.reduce((best, day) => (day.learners > best.learners ? day : best), days[0]!)
  return html`
      <dl class="tiles">
        ${tile('Learners', learners)}${tile('Sessions', sessions)}${tile('Statements', statements)}${tile('Refused requests', refused, refused > 0 ? '#refusals' : undefined)}
      </dl>
      <section class="card" aria-labelledby="people"><h2 id="people">Learners and sessions by day</h2>
        ${lines({
          id: 'chart-people',
          title: 'Learners and sessions by day',
          of: 'Day',
          labels,
          summary:
            `${counted(learners, 'learner')} and ${counted(sessions, 'session')} in ${view.days} days. Most learners ` +
            `on ${dayName(most.day)}: ${most.learners}.`,
          series: [
            { name: 'Learners', values: days.map((day) => Number(day.learners)) },
            { name: 'Sessions', values: days.map((day) => Number(day.sessions)) },
          ],
        })}</section>
      <section class="card" aria-labelledby="statements"><h2 id="statements">Statements by day</h2>
        ${bars({
          id: 'chart-statements',
          title: 'Statements by day',
          of: 'Day',
          labels,
          summary: `${counted(statements, 'statement')} in ${view.days} days.`,
          series: [{ name: 'Statements', values: days.map((day) => Number(day.statements)) }],
        })}
        <p class="more"><a href="${dataPath(game, 'statements', view)}">Read the statements</a></p></section>
      <section class="card" aria-labelledby="levels"><h2 id="levels">Completions by level</h2>${
        levels.length > 0
          ? apart(levels, 'completed', (some) => completions(game, view, some))
          : html`
        <p class="muted">No level was completed in these days. Levels appear here when a statement has <code>result.completion</code> or <code>result.success</code>, or the verb completed, passed or failed.</p>`
      }</section>
      <section class="card" aria-labelledby="scores"><h2 id="scores">Scores by level</h2>${
        scored.length > 0
          ? apart(scored, 'scored', scores)
          : html`
        <p class="muted">No scores in these days. They appear here when a statement has <code>result.score.scaled</code>, a number from -1 to 1.</p>`
      }</section>
      ${
        verbs.length > 0 &&
        html`<section class="card" aria-labelledby="verbs"><h2 id="verbs">What learners did</h2>
        <div class="table" role="region" aria-label="Table of verbs" tabindex="0"><table class="measured"><thead><tr><th scope="col">Verb</th><th scope="col"><span class="visually-hidden">Share</span></th><th scope="col" class="number">Statements</th></tr></thead>
          <tbody>${verbs.map(
            ({ verbId, name, statements: count }) =>
              html`<tr><th scope="row"><a href="${dataPath(game, 'statements', view, { verb: verbId })}">${name || shortIri(verbId)}</a></th><td>${inlineBar(
                [share(count, verbs[0]!.statements)],
              )}</td><td class="number">${Number(count).toLocaleString('en')}</td></tr>`,
          )}</tbody></table></div></section>`
      }
      ${refusalList(
        refusals,
        labels,
        days.map((day) => Number(day.refusals)),
        game,
        view.makes,
      )}
      <p class="hint more">Days are in UTC. A statement counts on the day it arrives. Voided statements do not count.</p>`
}

const tile = (name: string, value: number | bigint, href?: string): Html =>
  html`<div class="card"><dt>${name}</dt><dd>${href !== undefined ? html`<a href="${href}">${Number(value).toLocaleString('en')}</a>` : Number(value).toLocaleString('en')}</dd></div>`

/** Levels first: a quiz has many questions, which nobody completes, and they would hide the levels. */
function apart(
  activities: readonly InsightActivity[],
  what: string,
  chart: (some: readonly InsightActivity[], id: string) => Html,
): Html {
  const levels = activities.filter(({ completions }) => completions > 0n)
  const others = activities.filter(({ completions }) => completions === 0n)
  if (levels.length === 0 || others.length === 0) return chart(activities, what)
  return html`${chart(levels, what)}
        <details class="figures"><summary>Questions and other activities without completions: ${others.length}</summary>${chart(others, `${what}-others`)}</details>`
}

function completions(game: Game, view: DataView, levels: readonly InsightActivity[]): Html {
  const sum = ({ passed, failed, completions }: InsightActivity) =>
    completions > passed + failed ? completions : passed + failed
  const most = levels.reduce((best, level) => (sum(level) > best ? sum(level) : best), 1n)
  const row = (level: InsightActivity) => {
    const { activityId, name, completions, passed, failed } = level
    const rest = completions > passed + failed ? completions - passed - failed : 0n
    return html`<tr><th scope="row"><a href="${dataPath(game, 'statements', view, { activity: activityId })}">${name || shortIri(activityId)}</a></th>
            <td>${inlineBar([share(passed, most), share(failed, most), share(rest, most)])}</td>
            ${[
              ['Completed', completions],
              ['Passed', passed],
              ['Failed', failed],
            ].map(
              ([heading, count]) =>
                html`<td class="number" data-heading="${heading}">${Number(count).toLocaleString('en')}</td>`,
            )}</tr>`
  }
  return html`${legend(['Passed', 'Failed', 'Completed without either'])}
        <div class="table" role="region" aria-label="Table of completions" tabindex="0"><table class="measured levels">
          <thead><tr><th scope="col">Level</th><th scope="col"><span class="visually-hidden">Share</span></th><th scope="col" class="number">Completed</th><th scope="col" class="number">Passed</th><th scope="col" class="number">Failed</th></tr></thead>
          <tbody>${levels.slice(0, 30).map(row)}</tbody></table></div>`
}

function scores(scored: readonly InsightActivity[], id: string): Html {
  const one = ({ activityId, name, scored, mean, scores }: InsightActivity, at: number) => {
    const title = name || shortIri(activityId)
    const average = `${Math.round(mean * 100)} %`
    return html`<li><h3>${title}</h3><p class="hint">Mean ${average} of ${counted(scored, 'score')}</p>
          ${histogram({ id: `${id}-${at}`, title: `Scores of ${title}`, summary: `${counted(scored, 'score')}, mean ${average}.`, counts: scores.map(Number), mean })}</li>`
  }
  const bins = Array.from({ length: 10 }, (_, at) => `${at * 10}–${(at + 1) * 10} %`)
  const row = ({ activityId, name, scores }: InsightActivity) =>
    html`<tr><th scope="row">${name || shortIri(activityId)}</th>${scores.map((count) => html`<td class="number">${Number(count).toLocaleString('en')}</td>`)}</tr>`
  const shown = scored.slice(0, 12)
  return html`<ul class="multiples">${shown.map(one)}</ul>
        <details class="figures"><summary>As a table<span class="visually-hidden">: Scores by level</span></summary>
          <div class="table" role="region" aria-label="Table of scores" tabindex="0"><table>
            <thead><tr><th scope="col">Level</th>${bins.map((bin) => html`<th scope="col" class="number">${bin}</th>`)}</tr></thead>
            <tbody>${scored.map(row)}</tbody></table></div></details>`
}

/** What was refused, why, and what a studio can do about it. */
function refusalList(
  refusals: readonly InsightRefusal[],
  labels: readonly string[],
  values: readonly number[],
  game: Game,
  makes: boolean,
): Html {
  if (refusals.length === 0)
    return html`<section class="card" aria-labelledby="refusals"><h2 id="refusals">Refused requests</h2><p class="muted">None in these days: the service accepted every request.</p></section>`
  const row = ({ reason, status, request, path, message, count, last }: InsightRefusal) => html`
            <tr><td class="number" data-heading="Count">${Number(count).toLocaleString('en')}</td>
              <td data-heading="What"><strong>${reasons[reason]?.name ?? 'Other reasons'}</strong>${status > 0 && html` <span class="hint">${status} · ${request}</span>`}
                ${path !== '' && html`<br>at <code>${path}</code>`}${message !== '' && html`<br><span class="said">${withoutPath(message, path)}</span>`}</td>
              <td data-heading="What to do">${advice(reason, request)}</td><td data-heading="Last">${moment(last)}</td></tr>`
  return html`<section class="card" aria-labelledby="refusals"><h2 id="refusals">Refused requests</h2>
        ${bars({
          id: 'chart-refusals',
          title: 'Refused requests by day',
          of: 'Day',
          labels,
          tone: 'bad',
          summary: `${counted(
            values.reduce((sum, count) => sum + count, 0),
            'request',
          )} refused.`,
          series: [{ name: 'Refused requests', values }],
        })}
        <div class="table" role="region" aria-label="Table of refused requests" tabindex="0"><table class="stack refusals">
          <thead><tr><th scope="col" class="number">Count</th><th scope="col">What was wrong</th><th scope="col">What to do</th><th scope="col">Last</th></tr></thead>
          <tbody>${refusals.map(row)}</tbody></table></div>
        ${makes && html`<p class="hint more">A <a href="/games/${game.summary!.gameId}/sandbox">sandbox session</a> shows each refused request as it happens, with what was sent.</p>`}</section>`
}

const reasons: Readonly<Record<string, { name: string; advice: string } | undefined>> = {
  INVALID: { name: 'Invalid input', advice: 'Correct the field. A retry without that will fail again.' },
  UNAUTHENTICATED: {
    name: 'Not authenticated',
    advice:
      'Send the Authorization of the launch context unchanged, or key and secret from the Credential page. Launch ' +
      `tokens end after ${launchHours} hours.`,
  },
  FORBIDDEN: {
    name: 'Not allowed',
    advice: 'A launch token gives access to one learner only. Do not ask for data of others.',
  },
  NOT_FOUND: {
    name: 'Not found',
    advice:
      'There is nothing at this path. Append a resource of xAPI, such as statements, to the endpoint of the launch context.',
  },
  CONFLICT: { name: 'Conflict', advice: 'Read the document again and send its ETag as If-Match.' },
  PRECONDITION_FAILED: {
    name: 'Changed in the meantime',
    advice: 'Another request changed the document. Read it again, then write.',
  },
  TOO_MANY_STATEMENTS: {
    name: 'Too many statements',
    advice: `Send at most ${sizes.statementsPerRequest} statements in one request.`,
  },
  TOO_LARGE: {
    name: 'Too large',
    advice:
      `A request with statements takes at most ${inBytes(sizes.statementsBody)}, a document ` +
      `${inBytes(sizes.document)}.`,
  },
  RATE_LIMITED: {
    name: 'Too many requests',
    advice: 'Queue statements and send them every 5 to 10 seconds. After a refusal, wait longer each time.',
  },
  UNAVAILABLE: { name: 'Service not available', advice: 'Your game is not the cause. Retry later with the same ids.' },
  INTERNAL: {
    name: 'Server error',
    advice: 'Your game is not the cause. Retry later with the same ids, and tell the operator of this service.',
  },
}

function advice(reason: string, request: string): Html {
  const text =
    reasons[reason]?.advice ?? 'This row counts all further kinds of errors together. Begin with the other rows.'
  return html`${text}${['RATE_LIMITED', 'TOO_LARGE', 'TOO_MANY_STATEMENTS'].includes(reason) && html` <a href="/limits">Limits<span class="visually-hidden"> for ${request}</span></a>`}`
}

/** The message without the path at its start, since the page shows the path above it. */
function withoutPath(message: string, path: string): string {
  const end = message.indexOf(': ')
  return path !== '' && end > 0 && message.slice(0, end).replaceAll(/\[\d+\]/g, '[]') === path
    ? message.slice(end + 2)
    : message
}

const share = (count: bigint, most: bigint): number => (most > 0n ? Number(count) / Number(most) : 0)

const shortIri = (iri: string): string =>
  iri
    .split(/[/#]/)
    .filter((part) => part !== '')
    .at(-1)
    ?.slice(0, 80) ?? iri
