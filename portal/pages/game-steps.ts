import { BuildKind, GameState, type Game } from '../../gen/lrs/v1/games_pb.js'
import { html, type Html } from '../html.ts'
import { isInReview, isLive } from './game-state.ts'

interface Step {
  readonly title: string
  readonly text: string
  /** Undefined: nobody can know. */
  readonly isDone: boolean | undefined
  /** What can be done now. */
  readonly link?: { readonly href: string; readonly text: string } | false | undefined
}

/** The steps from a draft to data. Steps that are done have a mark; the first other one is next. */
export function gameSteps(game: Game): Html {
  const steps = stepsOf(game)
  const next = steps.findIndex(({ isDone }) => isDone === false)
  return html`<ol class="steps">${steps.map(
    ({ title, text, isDone, link }, index) => html`
    <li class="${isDone ? 'done' : index === next ? 'next' : isDone === undefined ? 'open' : 'later'}"${index === next && html` aria-current="step"`}>
      <h3>${title}${isDone && html`<span class="visually-hidden"> (done)</span>`}</h3>
      <p>${text}</p>
      ${link && html`<a class="button small${index !== next && ' quiet'}" href="${link.href}">${link.text}</a>`}
    </li>`,
  )}</ol>`
}

function stepsOf({ summary, description, staged, live, sandboxKey, credential, allowed }: Game): Step[] {
  const { gameId, summary: line, state } = summary!
  const at = `/games/${gameId}`
  const build = staged ?? live
  const isBrowser = build?.kind === BuildKind.BROWSER
  const may = (what: string) => allowed.includes(what)
  const isReported = line !== '' && description !== ''
  return [
    {
      title: 'Describe your game',
      isDone: isReported,
      text: isReported
        ? 'It has a summary and a description.'
        : 'Write one line and a few paragraphs for players and teachers. Add images below.',
      link: { href: `${at}/edit`, text: 'Edit details' },
    },
    {
      title: 'Add reporting',
      isDone: undefined,
      text: 'The player gives the game a launch context. A few lines of code send statements with it.',
      link: { href: '/reporting', text: 'How a game reports' },
    },
    {
      title: 'Upload a build',
      isDone: build !== undefined,
      text: build ? `Uploaded: ${build.fileName}.` : 'A zip that runs in the browser, or a package to download.',
      link: may('upload') && { href: `${at}/upload`, text: build ? 'Upload another' : 'Upload' },
    },
    {
      title: 'Try it in the sandbox',
      isDone: sandboxKey !== '',
      text:
        build && !isBrowser
          ? 'Start it on your own machine with the launch file of a session. You see every call it makes, and why a call was rejected.'
          : 'Play as a test learner. You see every call your game makes, and why a call was rejected.',
      link: may('sandbox') && { href: `${at}/sandbox`, text: 'Open the sandbox' },
    },
    {
      title: 'Submit it for review',
      isDone: state === GameState.PUBLISHED || isInReview(state),
      text: reviewText(state),
      link: may('submit') && { href: `${at}/submit`, text: 'Submit for review' },
    },
    {
      title: 'Get the credential',
      isDone: credential?.revealed ?? false,
      text: credential
        ? 'It is for your servers and scripts. In the player, games get a launch token automatically.'
        : 'It is created when a reviewer approves the game.',
      link: credential && { href: `${at}/credential`, text: credential.revealed ? 'Credential' : 'Show the secret' },
    },
    {
      title: 'See what players do',
      isDone: false,
      text: isLive(state)
        ? 'Charts and every statement, live.'
        : 'Charts and every statement appear as soon as somebody plays.',
      link: (isLive(state) || sandboxKey !== '') && { href: `${at}/data`, text: 'Open the data' },
    },
  ]
}

function reviewText(state: GameState): string {
  switch (state) {
    case GameState.IN_REVIEW:
    case GameState.UPDATE_IN_REVIEW:
      return 'Waiting for review.'
    case GameState.PUBLISHED:
      return 'A reviewer approved it.'
    case GameState.UPDATE_STAGED:
      return 'The update is not public until a reviewer approves it.'
    case GameState.REJECTED:
    case GameState.UPDATE_REJECTED:
      return 'A reviewer rejected it. Change what the note asks for, then submit it again.'
    case GameState.WITHDRAWN:
      return 'The game is withdrawn. Submit it for review to publish it again.'
    case GameState.DRAFT:
    case GameState.UNSPECIFIED:
      return 'A reviewer checks it before players can see it.'
  }
}
