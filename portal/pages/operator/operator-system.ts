import { Severity, type CheckResponse, type GetStatusResponse } from '../../../gen/lrs/v1/admin_pb.js'
import type { GetStorageResponse, Job, ListJobsResponse, StoredFiles } from '../../../gen/lrs/v1/operator_pb.js'
import { html, type Html } from '../../web/html.ts'
import type { WithAccount } from '../../web/visit.ts'
import { counted, inBytes, moment } from '../parts/amount.ts'
import { operatorLayout } from './operator-layout.ts'
import { table } from '../parts/table.ts'

const severities: Record<Severity, readonly [className: string, text: string]> = {
  [Severity.UNSPECIFIED]: ['', 'Unknown'],
  [Severity.OK]: ['good', 'In order'],
  [Severity.WARNING]: ['warn', 'Warning'],
  [Severity.ERROR]: ['bad', 'Broken'],
}
const number = (value: bigint | number): string => value.toLocaleString('en')
/** Rows of long tables; `games-lrs status --json` has all. */
const most = 12

/** A message that begins with a verb is about what is checked. */
function sentenceOf(name: string, message: string): string {
  if (!/^(is|are|does|stand|cannot)\b/.test(message)) return message
  return `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('-', ' ')} ${message}`
}

/** What `games-lrs status` and `games-lrs doctor` print about the core that answers. */
export function healthPage(visit: WithAccount, status: GetStatusResponse, { findings }: CheckResponse): Html {
  const { pool, rates } = status
  const bad = findings.filter(({ severity }) => severity !== Severity.OK)
  const finding = ({ name, severity, message, advice }: (typeof findings)[number]) => [
    name,
    html`<span class="badge ${severities[severity][0]}">${severities[severity][1]}</span>`,
    sentenceOf(name, message),
    advice,
  ]
  return operatorLayout(
    visit,
    'Health',
    html`
      <p class="notice ${
        bad.some(({ severity }) => severity === Severity.ERROR) ? 'bad' : bad.length > 0 ? 'warn' : 'good'
      }">${
        bad.length === 0
          ? `All ${findings.length} checks passed.`
          : `${findings.length - bad.length} of ${findings.length} checks passed: ${[
              [Severity.ERROR, 'error'],
              [Severity.WARNING, 'warning'],
            ]
              .flatMap(([severity, name]) => {
                const count = bad.filter((one) => one.severity === severity).length
                return count > 0 ? [counted(count, String(name))] : []
              })
              .join(', ')}.`
      }</p>
      <section class="card" aria-labelledby="now"><h2 id="now">Now</h2><dl class="facts">
        <dt>Core</dt><dd>version ${status.version}, Node ${status.nodeVersion.replace(/^v/, '')}, up since
        ${moment(Date.now() / 1000 - Number(status.uptime))}</dd>
        <dt>Database</dt><dd>Postgres ${status.databaseVersion}, schema ${status.schemaVersion},
        ${inBytes(status.databaseSize)}</dd>
        ${
          pool &&
          html`<dt>Connections</dt><dd>${pool.open} of ${pool.limit} open, ${pool.idle} idle,
          ${counted(pool.waiting, 'call waits', 'calls wait')}</dd>`
        }
        <dt>Studios and games</dt><dd>${number(status.studios)} and ${number(status.games)}</dd>
        <dt>Statements today</dt><dd>${number(status.statementsToday)}</dd>
        <dt>Order</dt><dd>complete up to ${number(Math.round(Number(status.lag) / 1000))} ms ago</dd>
        <dt>Followers</dt><dd>${status.followers}</dd></dl></section>
      <h2>Checks</h2>${table(
        'Checks',
        ['Check', 'State', 'Found', 'What to do'],
        [...bad, ...findings.filter(({ severity }) => severity === Severity.OK)].map(finding),
      )}
      <h2>Calls since the start of this core</h2>
        ${table(
          'Calls',
          ['Call', 'Count', 'Refused or failed'],
          rates.slice(0, most).map(({ call, count, failed }) => [call, number(count), number(failed)]),
        )}`,
    { lead: 'The state of the core that answers this page. With several cores, another one may answer next time.' },
  )
}

export function storagePage(
  visit: WithAccount,
  storage: GetStorageResponse,
  { tables, databaseSize }: GetStatusResponse,
): Html {
  const { builds, files, uploads, garbage, garbageDue, biggest } = storage
  const held = (of: StoredFiles | undefined) => `${inBytes(of?.bytes ?? 0)} in ${counted(of?.count ?? 0, 'file')}`
  return operatorLayout(
    visit,
    'Storage',
    html`
      <section class="card" aria-labelledby="held"><h2 id="held">Builds and files</h2><dl class="facts">
        <dt>Builds</dt><dd>${held(builds)}, as packed; browser builds are also kept unpacked</dd>
        <dt>Images and documents</dt><dd>${held(files)}</dd>
        <dt>Uploads under way</dt><dd>${held(uploads)}</dd>
        <dt>To be removed</dt><dd>${counted(garbage, 'file or folder', 'files or folders')}, of which ${garbageDue} are
        due</dd></dl></section>
      <h2>Largest games</h2>
        ${
          biggest.length === 0
            ? html`<p class="muted">No game has a build yet.</p>`
            : table(
                'Largest games',
                ['Game', 'Studio', 'Builds', 'Images and documents'],
                biggest.map((game) => [
                  game.name,
                  html`<a href="/operator/studios/${game.studioId}">${game.studioName}</a>`,
                  inBytes(game.builds),
                  inBytes(game.files),
                ]),
              )
        }
      <h2>Database, ${inBytes(databaseSize)}</h2>
        ${table(
          'Tables',
          ['Table', 'Rows, about', 'Size', 'Indexes'],
          tables
            .slice(0, most)
            .map(({ name, rows, size, indexSize }) => [name, number(rows), inBytes(size), inBytes(indexSize)]),
        )}`,
  )
}

export function jobsPage(visit: WithAccount, { jobs, upSince, core }: ListJobsResponse): Html {
  const outcome = ({ running, runs, problem }: Job) =>
    running > 0
      ? html`<span class="badge busy">Running</span>`
      : runs === 0n
        ? html`<span class="badge">Not yet</span>`
        : problem === ''
          ? html`<span class="badge good">Done</span>`
          : html`<span class="badge bad">Failed</span> ${problem}`
  const row = (job: Job) => [
    job.name,
    job.everySeconds > 0 ? `every ${often(job.everySeconds)}` : 'when asked for',
    outcome(job),
    job.began > 0n ? html`${moment(job.began)}, ${number(job.tookMs)} ms` : '',
    `${number(job.runs)}, ${number(job.failures)} failed`,
  ]
  return operatorLayout(visit, 'Jobs', table('Jobs', ['Job', 'When', 'State', 'Last run', 'Runs'], jobs.map(row)), {
    lead: html`Background work of one core${core !== '' && html` (${core})`}, which answers this page and started on
      ${moment(upSince)}.
      Each core runs its own jobs. With several cores, another one may answer next time.`,
  })
}

const often = (seconds: number): string =>
  seconds === 3600 ? 'hour' : seconds > 3600 ? counted(Math.round(seconds / 3600), 'hour') : `${seconds} s`
