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

/** The way of a game from nothing to data: what is done has a mark, the first thing that is not is next. */
export function gameSteps(game: Game): Html {
  const steps = stepsOf(game)
  const next = steps.findIndex(({ isDone }) => isDone === false)
  return html`<ol class="steps">${steps.map(({ title, text, isDone, link }, index) => html`
    <li class="${isDone ? 'done' : index === next ? 'next' : isDone === undefined ? 'open' : 'later'}"${index === next && html` aria-current="step"`}>
      <h3>${title}${isDone && html`<span class="visually-hidden"> (done)</span>`}</h3>
      <p>${text}</p>
      ${link && html`<a class="button small${index !== next && ' quiet'}" href="${link.href}">${link.text}</a>`}
    </li>`)}</ol>`
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
      title: 'Tell about it', isDone: isReported,
      text: isReported ? 'It has a summary and a description.' : 'One line and a few paragraphs for players and teachers, and images below.',
      link: { href: `${at}/edit`, text: 'Edit details' },
    },
    {
      title: 'Make it report', isDone: undefined,
      text: 'The player hands every game what it needs to report; a few lines of code send it.',
      link: { href: '/reporting', text: 'How a game reports' },
    },
    {
      title: 'Upload a build', isDone: build !== undefined,
      text: build ? `${build.fileName} is here.` : 'A zip that runs in the browser, or a package to download.',
      link: may('upload') && { href: `${at}/upload`, text: build ? 'Upload another' : 'Upload' },
    },
    {
      title: 'Try it in the sandbox', isDone: sandboxKey !== '',
      text: build && !isBrowser ? 'Start it on your own machine with the launch file of a session and see every call it makes, refused ones with the reason.' : 'Play as a test learner and see every call your game makes, refused ones with the reason.',
      link: may('sandbox') && { href: `${at}/sandbox`, text: 'Open the sandbox' },
    },
    {
      title: 'Submit it for review', isDone: state === GameState.PUBLISHED || isInReview(state), text: reviewText(state),
      link: may('submit') && { href: `${at}/submit`, text: 'Submit for review' },
    },
    {
      title: 'Take its credential', isDone: credential?.revealed ?? false,
      text: credential ? 'For your servers and scripts; in the player, games get a token by themselves.' : 'It is made when the game is approved.',
      link: credential && { href: `${at}/credential`, text: credential.revealed ? 'Credential' : 'Show the secret' },
    },
    {
      title: 'See what players do', isDone: false,
      text: isLive(state) ? 'Charts and every statement, live.' : 'Charts and every statement, as soon as somebody plays.',
      link: (isLive(state) || sandboxKey !== '') && { href: `${at}/data`, text: 'Open the data' },
    },
  ]
}

function reviewText(state: GameState): string {
  switch (state) {
    case GameState.IN_REVIEW:
    case GameState.UPDATE_IN_REVIEW: return 'It waits for a reviewer.'
    case GameState.PUBLISHED: return 'It was approved.'
    case GameState.UPDATE_STAGED: return 'The update is not public until a reviewer has approved it.'
    case GameState.REJECTED:
    case GameState.UPDATE_REJECTED: return 'It was rejected: read the note, then upload another build or change its page.'
    case GameState.WITHDRAWN: return 'It was taken from the public; a reviewer can bring it back.'
    case GameState.DRAFT:
    case GameState.UNSPECIFIED: return 'A reviewer looks at it before players do.'
  }
}
