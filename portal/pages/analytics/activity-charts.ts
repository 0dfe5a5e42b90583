import type { GetInsightsResponse } from '../../../gen/lrs/v1/insights_pb.js'
import type { Chart } from '../../charts/chart.ts'
import { columns } from '../../charts/columns.ts'
import { lines } from '../../charts/lines.ts'
import { rows } from '../../charts/rows.ts'
import { column } from '../../charts/table.ts'
import { amount, percentOf } from '../../charts/words.ts'
import { html } from '../../web/html.ts'
import { counted, dayName } from '../parts/amount.ts'
import { lastPart, releasesIn, type Asked } from './asked.ts'
import { inDays } from '../parts/data-filters.ts'

/** Who plays, day by day, and what they do. */
export const activityCharts = (asked: Asked, insights: GetInsightsResponse): Chart[] => [
  people(asked, insights),
  statements(asked, insights),
  verbs(asked, insights),
]

const none = html`<p>Nothing happened in these days.</p>`

export function people(asked: Asked, { days, learners, sessions, teams, zone }: GetInsightsResponse): Chart {
  const labels = days.map(({ day }) => dayName(day))
  const most = days.reduce((best, day) => (day.learners > best.learners ? day : best), days[0]!)
  const [players, played] = [days.map((day) => Number(day.learners)), days.map((day) => Number(day.sessions))]
  return {
    id: 'people',
    title: 'Who plays, day by day?',
    answer:
      `${counted(learners, 'player')} and ${counted(sessions, 'session')} in ${inDays(asked.view)}. Most players on ` +
      `${dayName(most.day)}: ${amount(Number(most.learners))}.${
        teams > 0n ? ` ${counted(teams, 'team')} beside them.` : ''
      }`,
    source:
      'Counts different learners on the days of their statements, and sessions (context.registration) on the day on ' +
      `which they began. Days are in ${zone}. A team, which is an actor of the type Group, is no player. All builds.`,
    drawing:
      learners === 0n
        ? undefined
        : lines({
            labels,
            events: releasesIn(asked, days),
            series: [
              { name: 'Players', values: players },
              { name: 'Sessions', values: played },
            ],
          }),
    table: {
      columns: [column('Day', 'text'), column('Players'), column('Sessions')],
      rows: days.map(({ day, learners, sessions }) => ({ cells: [day, Number(learners), Number(sessions)] })),
    },
    empty: none,
  }
}

function statements(asked: Asked, { days, zone }: GetInsightsResponse): Chart {
  const values = days.map((day) => Number(day.statements))
  const all = values.reduce((sum, value) => sum + value, 0)
  return {
    id: 'statements',
    title: 'How much does the game report?',
    answer: `${counted(all, 'statement')} in ${inDays(asked.view)}.`,
    source: `Counts all statements on the day of their timestamp, in ${zone}, without voided ones. All builds.`,
    drawing:
      all === 0
        ? undefined
        : columns({
            labels: days.map(({ day }) => dayName(day)),
            events: releasesIn(asked, days),
            series: [{ name: '', values }],
            tell: (value) => counted(value, 'statement'),
          }),
    table: {
      columns: [column('Day', 'text'), column('Statements')],
      rows: days.map(({ day, statements }) => ({ cells: [day, Number(statements)] })),
    },
    empty: none,
  }
}

function verbs({ href }: Asked, { verbs, days }: GetInsightsResponse): Chart {
  const all = days.reduce((sum, { statements }) => sum + Number(statements), 0)
  const told = verbs.map(({ verbId, name, statements }) => ({
    label: name || lastPart(verbId),
    count: Number(statements),
    href: href({ verb: verbId }),
  }))
  const [most] = told
  return {
    id: 'verbs',
    title: 'What do players do?',
    answer: most ? `Most statements say “${most.label}”: ${percentOf(most.count, all)} of ${amount(all)}.` : '',
    source: 'Counts all statements of these days by verb, the 20 most frequent ones, without voided ones. All builds.',
    drawing:
      told.length === 0
        ? undefined
        : rows(
            told.slice(0, 10).map(({ label, count, href }) => ({
              label,
              href,
              of: [
                {
                  name: '',
                  parts: { neutral: count },
                  value: amount(count),
                  told: `${counted(count, 'statement')}, ${percentOf(count, all)}`,
                },
              ],
            })),
          ),
    table: {
      columns: [column('Verb', 'text'), column('Statements')],
      rows: told.map(({ label, count, href }) => ({ cells: [label, count], href })),
    },
    empty: none,
  }
}
