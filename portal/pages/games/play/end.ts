import type { GetPublishedGameResponse } from '../../../../gen/lrs/v1/games_pb.js'
import type { GetResultResponse } from '../../../../gen/lrs/v1/launches_pb.js'
import { html, type Html } from '../../../web/html.ts'
import type { Say, TextName } from '../../../web/say.ts'
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
  const { say } = visit
  // of the portal, only /embed may be in a frame
  const away = embedded && html` target="_blank" rel="noopener"`
  return layout(
    visit,
    say.text('end.title'),
    html`<div class="card result">
      ${result && resultOf(say, result)}
      ${result && levelTable(result.levels, { heading: say('end.did'), game: game!, say })}
      <p>${result?.statements === 0 ? say('end.nothing') : say('end.saved')} ${
        embedded
          ? ''
          : known === undefined
            ? say('end.notRemembered')
            : html`${say('end.remembered', { name: known })} <a href="/play/${slug}/data">${say('play.ownData')}</a>.`
      }</p>${code !== undefined && html`<p>${say('end.code', { code })}</p>`}
      <div class="actions"><a class="button" href="${ways.start}">${say('end.again')}</a>
      <a class="button quiet" href="/g/${slug}"${away}>${say(embedded ? 'end.about' : 'end.back', { game: name })}</a>
        ${!embedded && html`<a class="button quiet" href="/studios/${studio!.slug}">${say('end.more', { studio: studio!.name })}</a>`}</div></div>`,
    {
      width: embedded ? 'framed' : 'narrow',
      forLearners: true,
      scripts: embedded ? ['embed.js'] : [],
      styles: ['play.css'],
    },
  )
}

function resultOf(say: Say, result: GetResultResponse): Html | undefined {
  const { learnerName, seconds, statements } = result
  if (statements === 0) return undefined
  const outcome = outcomeOf(result)
  const [score, ...points] = scoresOf(say, result)
  return html`<p>${say('end.reached', { name: learnerName })}</p>
      <dl class="result-facts">${
        outcome !== undefined &&
        html`<div class="${outcome.tone}"><dt>${say('end.result')}</dt><dd>${say(outcome.text)}</dd></div>`
      }${
        score !== undefined &&
        html`<div><dt>${say('end.score')}</dt><dd>${score}${points.map((one) => html` <small>${one}</small>`)}</dd></div>`
      }${seconds >= 1 && html`<div><dt>${say('end.time')}</dt><dd>${say.time(seconds)}</dd></div>`}</dl>`
}

function outcomeOf({ success, completion }: GetResultResponse): { text: TextName; tone: string } | undefined {
  if (success === true) return { text: 'end.passed', tone: 'good' }
  if (success === false) return { text: 'end.failed', tone: 'warn' }
  if (completion === true) return { text: 'end.completed', tone: 'good' }
  return completion === false ? { text: 'end.notCompleted', tone: 'warn' } : undefined
}

/** `85 %`, `17 of 20`, or both. */
function scoresOf(say: Say, { score }: GetResultResponse): string[] {
  const { scaled, raw, max } = score ?? {}
  const share = scaled === undefined ? [] : [say.text('end.percent', { share: say.number(scaled * 100) })]
  if (raw === undefined) return share
  const points = say.number(raw)
  return [
    ...share,
    max === undefined
      ? say.text('end.points', { points: raw, shown: points })
      : say.text('end.pointsOf', { points, most: say.number(max) }),
  ]
}

/** The result in a line, for the page on which the learner can play on. */
export function resultInWords(say: Say, result: GetResultResponse): string {
  const { seconds } = result
  const time = seconds >= 1 ? [say.time(seconds)] : []
  return [say.text(outcomeOf(result)?.text ?? 'end.completed'), ...scoresOf(say, result), ...time].join(' · ')
}
