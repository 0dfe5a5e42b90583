import type { GetPublishedGameResponse } from '../../../../gen/lrs/v1/games_pb.js'
import type { GetResultResponse } from '../../../../gen/lrs/v1/launches_pb.js'
import { lengthText } from '../../parts/describe.ts'
import { html, type Html } from '../../../web/html.ts'
import type { Visit } from '../../../web/visit.ts'
import { layout } from '../../parts/layout.ts'
import { levelTable } from '../../parts/level-table.ts'
import { playWays, type Ways } from './ways.ts'

export interface Ended {
  /** What the store has of the session; undefined: this browser has not just ended one. */
  readonly result: GetResultResponse | undefined
  /** Name of the remembered learner; undefined: none. */
  readonly known: string | undefined
  /** The code of that learner, if it may be shown. */
  readonly code?: string
  readonly ways?: Ways
}

/** After the game: what the learner reached. */
export function endPage(
  visit: Visit,
  { game, studio }: GetPublishedGameResponse,
  { result, known, code, ways = playWays(game!.slug) }: Ended,
): Html {
  const { slug, name } = game!
  const { embedded } = ways
  // of the portal, only /embed may be in a frame
  const away = embedded && html` target="_blank" rel="noopener"`
  return layout(
    visit,
    'Thank you for playing',
    html`<div class="card result">
      ${result && resultOf(result)}
      ${result && levelTable(result.levels, { heading: 'What you did', game: game! })}
      <p>${result?.statements === 0 ? 'The game has reported nothing in this session.' : 'Your results are saved.'} ${
        embedded
          ? ''
          : known === undefined
            ? 'This computer does not remember you: the next player starts from the beginning.'
            : html`This computer remembers ${known}, who can continue later. <a href="/play/${slug}/data">Your data in
          this game</a>.`
      }</p>${
        code !== undefined &&
        html`<p>Your code is <strong>${code}</strong>. Write it down: on another day you need it to see your data, or to
        have it erased.</p>`
      }
      <div class="actions"><a class="button" href="${ways.start}">Play again</a>
      <a class="button quiet" href="/g/${slug}"${away}>${embedded ? `About ${name}` : `Back to ${name}`}</a>
        ${!embedded && html`<a class="button quiet" href="/studios/${studio!.slug}">More by ${studio!.name}</a>`}</div></div>`,
    {
      width: embedded ? 'framed' : 'narrow',
      forLearners: true,
      scripts: embedded ? ['embed.js'] : [],
      styles: ['play.css'],
    },
  )
}

function resultOf(result: GetResultResponse): Html | undefined {
  const { learnerName, seconds, statements } = result
  if (statements === 0) return undefined
  const outcome = outcomeOf(result)
  const [score, ...points] = scoresOf(result)
  return html`<p>This is what you reached, <strong>${learnerName}</strong>:</p>
      <dl class="result-facts">${
        outcome !== undefined && html`<div class="${outcome.tone}"><dt>Result</dt><dd>${outcome.text}</dd></div>`
      }${
        score !== undefined &&
        html`<div><dt>Score</dt><dd>${score}${points.map((one) => html` <small>${one}</small>`)}</dd></div>`
      }${seconds >= 1 && html`<div><dt>Time</dt><dd>${lengthText(seconds)}</dd></div>`}</dl>`
}

function outcomeOf({ success, completion }: GetResultResponse): { text: string; tone: string } | undefined {
  if (success === true) return { text: 'Passed', tone: 'good' }
  if (success === false) return { text: 'Failed', tone: 'warn' }
  if (completion === true) return { text: 'Completed', tone: 'good' }
  return completion === false ? { text: 'Not completed', tone: 'warn' } : undefined
}

/** `85 %`, `17 of 20`, or both. */
function scoresOf({ score }: GetResultResponse): string[] {
  const { scaled, raw, max } = score ?? {}
  const share = scaled === undefined ? [] : [`${rounded(scaled * 100)} %`]
  if (raw === undefined) return share
  return [...share, max === undefined ? `${rounded(raw)} points` : `${rounded(raw)} of ${rounded(max)}`]
}

const rounded = (value: number): number => Number(value.toFixed(1))

/** The result in a line, for the page on which the learner can play on. */
export function resultInWords(result: GetResultResponse): string {
  const { seconds } = result
  const time = seconds >= 1 ? [lengthText(seconds)] : []
  return [outcomeOf(result)?.text ?? 'Completed', ...scoresOf(result), ...time].join(' · ')
}
