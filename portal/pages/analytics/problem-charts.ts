import type { GetAnswersResponse, Rejection } from '../../../gen/lrs/v1/answers_pb.js'
import type { GetInsightsResponse } from '../../../gen/lrs/v1/insights_pb.js'
import { inBytes, launchHours, sizes } from '../../../shared/limits.ts'
import type { Chart } from '../../charts/chart.ts'
import { columns } from '../../charts/columns.ts'
import { rows } from '../../charts/rows.ts'
import type { Side } from '../../charts/sides.ts'
import { column } from '../../charts/table.ts'
import { amount, percentOf } from '../../charts/words.ts'
import { html, type Html } from '../../web/html.ts'
import { counted, dayName, moment } from '../parts/amount.ts'
import { releasesIn, type Asked } from './asked.ts'

const none = html`<p>None in these days: the service accepted every request.</p>`
const source =
  'Counts the requests that were answered with an error, with the key of the game or from a launch of it. They ' +
  'stored nothing.'

/** When requests were refused, and to which builds. */
export const problemCharts = (asked: Asked, answers: GetAnswersResponse, insights: GetInsightsResponse): Chart[] => [
  byDay(asked, insights),
  byBuild(answers),
]

function byDay(asked: Asked, { days }: GetInsightsResponse): Chart {
  const values = days.map(({ refusals }) => Number(refusals))
  const all = values.reduce((sum, value) => sum + value, 0)
  const most = Math.max(...values, 0)
  const labels = days.map(({ day }) => dayName(day))
  return {
    id: 'refused',
    title: 'When were requests refused?',
    answer: `${counted(all, 'request')} refused, ${
      most > 1 ? `most on ${labels[values.indexOf(most)]!}: ${amount(most)}` : 'at most one a day'
    }.`,
    source: `${source} Days are in UTC; all builds together.`,
    drawing:
      all === 0
        ? undefined
        : columns({
            labels,
            events: releasesIn(asked, days),
            series: [{ name: '', values }],
            tell: (value) => counted(value, 'refused request'),
          }),
    table: {
      columns: [column('Day', 'text'), column('Refused requests')],
      rows: days.map(({ day, refusals }) => ({ cells: [day, Number(refusals)] })),
    },
    empty: none,
  }
}

function byBuild({ rejections, builds }: GetAnswersResponse): Chart {
  const found = (rejections?.builds ?? []).toSorted((a, b) => Number(b.count - a.count))
  const all = found.reduce((sum, { count }) => sum + Number(count), 0)
  const players = new Map(builds.map(({ number, people }) => [number, Number(people)]))
  const [worst] = found
  return {
    id: 'builds',
    title: 'Which build has its requests refused?',
    answer: worst ? `${worst.name}: ${amount(Number(worst.count))} of ${counted(all, 'refused request')}.` : 'None.',
    source: `${source} The build is not known where the game did not name it.`,
    drawing:
      all === 0
        ? undefined
        : rows(
            found.map(({ name, number, count }) => ({
              label: name,
              of: [
                {
                  name: '',
                  parts: { stuck: Number(count) },
                  value: `${amount(Number(count))} · ${percentOf(Number(count), all)}`,
                  told: `${counted(count, 'refused request')}, ${counted(players.get(number) ?? 0, 'player')}`,
                },
              ],
            })),
          ),
    table: {
      columns: [column('Build', 'text'), column('Refused requests'), column('Players')],
      rows: found.map(({ name, number, count }) => ({ cells: [name, Number(count), players.get(number)] })),
    },
    empty: none,
  }
}

/** What was refused, why, and what a studio can do about it. */
export function rejectionList(sides: readonly Side<GetAnswersResponse>[], gameId: string, makes: boolean): Html {
  const lists = sides
    .map(({ name, of }) => ({ name, list: overBuilds(of.rejections?.rejections ?? []) }))
    .filter(({ list }) => list.length > 0)
  if (lists.length === 0) return html``
  return html`${lists.map(({ name, list }, at) => {
    const title = `What was wrong, and what to do?${sides.length > 1 ? ` ${name}` : ''}`
    return html`<section class="card" aria-labelledby="wrong-${at}"><h2 id="wrong-${at}">${title}</h2>
        <div class="table" role="region" aria-label="Table: ${title}" tabindex="0"><table class="stack refusals">
          <thead><tr><th scope="col" class="number">Count</th><th scope="col">What was wrong</th>
          <th scope="col">What to do</th><th scope="col">Last</th></tr></thead>
          <tbody>${list.map(row)}</tbody></table></div></section>`
  })}
      ${
        makes &&
        html`<p class="hint more">A <a href="/games/${gameId}/sandbox">sandbox session</a> shows each refused request as
        it happens, with what was sent.</p>`
      }`
}

/** The same mistake is one row, of whichever build. */
export const overBuilds = (list: readonly Rejection[]): Rejection[] =>
  [
    ...Map.groupBy(list, ({ reason, status, request, path }) =>
      JSON.stringify([reason, status, request, path]),
    ).values(),
  ]
    .map((same) => ({
      ...same.toSorted((a, b) => Number(b.last - a.last))[0]!,
      count: same.reduce((sum, { count }) => sum + count, 0n),
    }))
    .toSorted((a, b) => Number(b.count - a.count))

const row = ({ reason, status, request, path, message, count, last }: Rejection) => html`
            <tr><td class="number" data-heading="Count">${amount(Number(count))}</td>
              <td data-heading="What"><strong>${reasons[reason]?.name ?? 'Other reasons'}</strong>${
                status > 0 && html` <span class="hint">${status} · ${request}</span>`
              }
                ${path !== '' && html`<br>at <code>${path}</code>`}${
                  message !== '' && html`<br><span class="said">${withoutPath(message, path)}</span>`
                }</td>
              <td data-heading="What to do">${advice(reason, request)}</td>
              <td data-heading="Last">${moment(last)}</td></tr>`

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
      'There is nothing at this path. Append a resource of xAPI, such as statements, to the endpoint of the ' +
      'launch context.',
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
  return html`${text}${
    ['RATE_LIMITED', 'TOO_LARGE', 'TOO_MANY_STATEMENTS'].includes(reason) &&
    html` <a href="/limits">Limits<span class="visually-hidden"> for ${request}</span></a>`
  }`
}

/** The message without the path at its start, since the page shows the path above it. */
function withoutPath(message: string, path: string): string {
  const end = message.indexOf(': ')
  return path !== '' && end > 0 && message.slice(0, end).replaceAll(/\[\d+\]/g, '[]') === path
    ? message.slice(end + 2)
    : message
}
