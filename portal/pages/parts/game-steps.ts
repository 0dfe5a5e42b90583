import { BuildKind, GameState, type Game } from '../../../gen/lrs/v1/games_pb.js'
import { html, type Html } from '../../web/html.ts'
import { isInReview, isLive } from './game-state.ts'

interface Step {
  readonly title: string
  readonly text: string
  readonly isDone: boolean
  /** The steps after it can be done first. */
  readonly canWait?: boolean
  /** What can be done now. */
  readonly link?: { readonly href: string; readonly text: string } | false | undefined
}

/** The first one is what is to be done next. */
export const isNext = ({ isDone, canWait }: Step): boolean => !isDone && !canWait

/** What is to be done next, else what can wait, and how many steps are done. */
export function nextStep(game: Game): Html {
  const steps = stepsOf(game)
  const next = steps.find(isNext) ?? steps.find(({ isDone }) => !isDone)
  const count = steps.filter(({ isDone }) => isDone).length
  const all = html`<a href="/games/${game.summary!.gameId}/checklist">Checklist</a>`
  return html`<section class="card" aria-labelledby="next"><h2 id="next">${next ? `${next.canWait ? 'Can wait' : 'Next'}: ${next.title}` : 'All steps are done'}</h2>
          ${next && html`<p>${next.text}</p>`}
          ${next?.link && html`<p><a class="button${next.canWait && ' quiet'}" href="${next.link.href}">${next.link.text}</a></p>`}
          <p class="hint">${count} of ${steps.length} steps are done. ${all}</p></section>`
}

/** The steps from a draft to data. */
export function stepsOf(game: Game): Step[] {
  const { summary, description, staged, live, sandboxKey, credential, allowed, reported, played } = game
  const { gameId, summary: line, state } = summary!
  const at = `/games/${gameId}`
  const build = staged ?? live
  const isBrowser = build?.kind === BuildKind.BROWSER
  const may = (what: string) => allowed.includes(what)
  const isDescribed = line !== '' && description !== ''
  return [
    {
      title: 'Describe your game',
      isDone: isDescribed,
      text: isDescribed
        ? 'It has a summary and a description.'
        : 'Write a summary in one line and a few paragraphs for players and teachers. Add images.',
      link: { href: `${at}/edit`, text: 'Edit details' },
    },
    {
      title: 'Make it report',
      isDone: reported,
      canWait: build !== undefined && sandboxKey === '' && !isLive(state),
      text: reported
        ? 'The game has sent statements.'
        : 'A few lines of code send statements. Start the game on your own machine: a session of the sandbox shows each call.',
      link: {
        href: reported ? '/reporting' : `${at}/sandbox`,
        text: reported ? 'How a game reports' : 'Open a session',
      },
    },
    {
      title: 'Upload a build',
      isDone: build !== undefined,
      text: build ? `Uploaded: ${build.fileName}.` : 'A zip that runs in the browser, or a package to download.',
      link: may('upload') && { href: `${at}/upload`, text: build ? 'Upload another' : 'Upload' },
    },
    {
      title: 'Try it in the sandbox',
      isDone: build !== undefined && sandboxKey !== '',
      canWait: isLive(state),
      text:
        sandboxKey !== '' && build
          ? 'There was a session in the sandbox. Try each new build there before you submit it.'
          : build && !isBrowser
            ? 'Start it on your own machine with the launch file of a session. You see every call it makes, and why a call was rejected.'
            : 'Play as a test learner. You see every call your game makes, and why a call was rejected.',
      link: build && { href: `${at}/sandbox`, text: 'Open the sandbox' },
    },
    {
      title: 'Submit it for review',
      isDone: state === GameState.PUBLISHED || isInReview(state),
      text: reviewText(state),
      link: may('submit') && line !== '' && { href: `${at}/submit`, text: 'Submit for review' },
    },
    {
      title: 'Get the credential',
      isDone: credential?.revealed ?? false,
      canWait: true,
      text: credential
        ? 'Only servers and scripts need it: in the player, games get a launch token automatically.'
        : 'It is created when a reviewer approves the game.',
      link: credential && { href: `${at}/credential`, text: credential.revealed ? 'Credential' : 'Show the secret' },
    },
    {
      title: 'See what players do',
      isDone: played,
      text: played
        ? 'Charts and every statement, live.'
        : 'Charts and every statement appear as soon as learners play.',
      link: (isLive(state) || played || sandboxKey !== '') && { href: `${at}/data`, text: 'Open the data' },
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
