import type { Build, Game } from '../../../../gen/lrs/v1/games_pb.js'
import type { Launch, TestLearner } from '../../../../gen/lrs/v1/launches_pb.js'
import { launchHours } from '../../../../shared/limits.ts'
import { html, type Html } from '../../../web/html.ts'
import { contextOf, launchQuery } from '../../../../shared/launch-context.ts'
import { gameAddress } from '../game-address.ts'
import type { Visit } from '../../../web/visit.ts'
import { codeBlock } from '../../../web/code-block.ts'
import { postForm, hidden, type Sent, form, submit } from '../../parts/form.ts'
import { buildName } from '../builds.ts'
import { inEnglish } from '../../../web/say.ts'
import { desktopLaunch, gameFrame, timeLeft } from '../game-frame.ts'
import { gameLayout } from '../../parts/game-layout.ts'
import { packagePath } from '../../parts/media.ts'
import { engineSection } from '../code/sample-list.ts'
import { ownMachine } from './own-machine.ts'

/** The choice of a new learner. */
export const newLearner = 'new'
/** The choice of a game that has no build here. */
export const onOwnMachine = 'own'

/** The form that starts a session. */
export function sandboxPage(visit: Visit, game: Game, learners: readonly TestLearner[], sent: Sent): Html {
  const { gameId } = game.summary!
  const of = [
    { value: newLearner, text: 'A new test learner' },
    ...learners.map(({ learnerId, name }) => ({ value: learnerId, text: name })),
  ]
  const { live, staged, beta } = game
  const builds = [
    ...(staged ? [{ value: 'staged', text: `Staged build: ${staged.fileName}` }] : []),
    ...(live && live.buildId !== staged?.buildId ? [{ value: 'live', text: `Live build: ${live.fileName}` }] : []),
    ...(beta ? [{ value: 'beta', text: `Beta build: ${buildName(beta)}` }] : []),
    { value: onOwnMachine, text: 'The game on my own machine' },
  ]
  const hasBuild = builds.length > 1
  return gameLayout(
    visit,
    game,
    'Sandbox',
    html`<div class="card">${form(visit, `/games/${gameId}/sandbox`, sent, [
      { name: 'learner_id', label: 'Who plays', of, value: learners[0]?.learnerId ?? newLearner, required: true },
      { name: 'learner_name', label: 'Name of a new test learner', maxLength: 100, autocomplete: 'off' },
      hasBuild ? { name: 'build', label: 'What is played', of: builds, required: true } : hidden('build', onOwnMachine),
      submit(hasBuild ? 'Start the session' : 'Start a session for my machine'),
    ])}</div>
    ${engineSection(game)}`,
    {
      lead: html`${
        hasBuild
          ? 'The game runs next to a panel that shows every call as it arrives, including rejected ones.'
          : 'No build is needed: start the game on your own machine. A panel shows every call as it arrives, including rejected ones.'
      } Sandbox data is kept separate from the data of learners. <a href="/reporting">How a game reports</a>,
      <a href="/docs/first-statement">the first statement</a>`,
      scripts: ['copy.js'],
      styles: ['sandbox.css', 'game.css'],
    },
  )
}

/** The events before the page was opened. */
export interface EventsSoFar {
  /** In order. */
  readonly latest: readonly Html[]
  /** The greatest number; 0: there are none. */
  readonly last: bigint
  readonly counts: Counts
}

export interface Counts {
  readonly requests: number
  readonly statements: number
  readonly rejected: number
}

/** The build that a session runs. */
const buildOf = ({ live, staged, beta }: Game, { buildId }: Launch): Build | undefined =>
  [live, staged, beta].find((build) => build?.buildId === buildId)

/** What a restart plays again. */
function playedIn({ live, staged, beta }: Game, { buildId }: Launch): string {
  if (buildId === '') return onOwnMachine
  if (buildId === beta?.buildId) return 'beta'
  return staged !== undefined && buildId === live?.buildId ? 'live' : 'staged'
}

/** The game beside its calls. */
export function sessionPage(visit: Visit, game: Game, launch: Launch, events: EventsSoFar): Html {
  const { gameId, name, slug } = game.summary!
  const here = `/games/${gameId}/sandbox/${launch.sessionId}`
  const build = buildOf(game, launch)
  const download = build && packagePath(visit, build, launch.files)
  const learner = (JSON.parse(launch.actor) as { account: { name: string } }).account.name
  return gameLayout(
    visit,
    game,
    'Sandbox session',
    html`
      <div class="session-bar"><p>Playing as <strong>${launch.learnerName}</strong> · ${timeLeft(inEnglish, launch.expires)}</p>
        <div class="actions">${postForm(
          visit,
          `/games/${gameId}/sandbox`,
          html`<input type="hidden" name="learner_id" value="${learner}">
          <input type="hidden" name="build" value="${playedIn(game, launch)}"><button class="quiet small">Restart</button>`,
          'inline',
        )}
          <a class="button quiet small" href="/games/${gameId}/sandbox">Another learner</a></div></div>
      <div class="session">
        <section class="stage" aria-label="Game">${
          launch.buildId === ''
            ? ownMachine(visit, launch, slug, `${here}/launch.json`)
            : download !== undefined
              ? html`<div class="card">${desktopLaunch({ ...visit, say: inEnglish }, launch, {
                  download,
                  launchFile: `${here}/launch.json`,
                })}</div>`
              : gameFrame({ ...visit, say: inEnglish }, launch, name)
        }</section>
        ${panel(here, events)}
      </div>
      ${launch.buildId === '' ? engineSection(game) : download === undefined && reportElsewhere(visit, launch)}`,
    { width: 'wide', scripts: ['frame.js', 'sandbox.js', 'copy.js'], styles: ['sandbox.css', 'game.css'] },
  )
}

function panel(here: string, { latest, last, counts }: EventsSoFar): Html {
  return html`<section class="panel card" aria-labelledby="calls" data-events="${here}/events?after=${last}">
        <div class="panel-head"><h2 id="calls">Calls</h2>
          <p class="counts">${countsInWords(counts)}</p></div>
        <fieldset class="filter"><legend class="visually-hidden">Show</legend>
          <label><input type="radio" name="show" id="show-all" checked> All</label>
          <label><input type="radio" name="show" id="show-warned"> Warnings</label>
          <label><input type="radio" name="show" id="show-rejected"> Rejected</label>
          <a class="refresh" href="${here}">Refresh</a><span class="live muted" hidden>Live</span></fieldset>
        <p class="visually-hidden" role="status" data-news></p>
        <p class="muted waiting"${latest.length > 0 && html` hidden`}>Nothing yet. What the game sends appears here,
        newest first. <a href="/docs/first-statement#when-nothing-appears">When nothing appears</a></p>
        <ol class="events">${latest.toReversed()}</ol>
        <p class="hint">A call without a valid token of this session cannot appear here. Look for 401 in the console of
        your browser or engine. <a href="/docs/serious-games#warnings-in-the-sandbox">What the warnings say</a></p>
        ${
          latest.length < counts.requests &&
          html`<p class="muted">${counts.requests - latest.length} earlier requests are counted but not shown.</p>`
        }
      </section>`
}

export const countsInWords = ({ statements, requests, rejected }: Counts): Html =>
  html`<span><b data-count="statements">${statements}</b> statement${statements !== 1 && 's'}</span>
    <span><b data-count="requests">${requests}</b> request${requests !== 1 && 's'}</span>
    <span class="${rejected > 0 ? 'bad' : ''}"><b data-count="rejected">${rejected}</b> rejected</span>`

/** The same session for a development server. */
function reportElsewhere({ at }: Visit, launch: Launch): Html {
  return html`<details class="card own-machine"><summary>Report from your own machine</summary>
        <p>Append this to the address of your development server. What the game sends then appears here. Keep it secret
        like a password until the session ends.</p>
        ${codeBlock('launch-query', 'query', `?${launchQuery(contextOf(at.xapi, launch))}`)}
        <p>The address of the uploaded build with the same query:</p>
        ${codeBlock('launch-url', 'launch URL', gameAddress(at, launch))}</details>`
}

/** The session has ended. */
export function sessionOver(visit: Visit, game: Game): Html {
  return gameLayout(
    visit,
    game,
    'Sandbox session',
    html`<div class="card empty"><h2>The session has ended</h2>
      <p class="muted">A session lasts at most ${launchHours} hours. Start another one: the same test learner continues
      where they stopped.</p>
      <div class="actions"><a class="button" href="/games/${game.summary!.gameId}/sandbox">Start a
      session</a></div></div>`,
  )
}
