import type { GetPublishedGameResponse } from '../../../../gen/lrs/v1/games_pb.js'
import type { GetResultResponse } from '../../../../gen/lrs/v1/launches_pb.js'
import { html, type Html } from '../../../web/html.ts'
import type { Say, TextName } from '../../../web/say.ts'
import type { Visit } from '../../../web/visit.ts'
import { postForm } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'
import { levelList, starsIn } from '../../parts/level-stars.ts'
import { drawing } from '../../parts/pictures.ts'
import { playWays, type Ways } from './ways.ts'

export interface Ended {
  /** What the store has of the session; undefined: this browser has not just ended one. */
  readonly result: GetResultResponse | undefined
  /** What a lesson calls the learner. */
  readonly pupil?: string
  /** Name of the remembered learner; undefined: none. */
  readonly known: string | undefined
  /** The code of that learner, if it may be shown. */
  readonly code?: string
  readonly ways?: Ways
}

/** After the game: what the learner reached, for a child. */
export function endPage(
  visit: Visit,
  { game }: GetPublishedGameResponse,
  { result, pupil, known, code, ways = playWays(game!.slug) }: Ended,
): Html {
  const { slug } = game!
  const { say } = visit
  const { embedded, lesson } = ways
  return layout(
    visit,
    say.text('end.title'),
    html`<div class="card child"${lesson && html` data-seat="named"`}><div>${inShort(say, result, pupil)}
      <div class="actions">${
        lesson
          ? postForm(visit, '/join/play', html`<button>${say('end.again')}</button>`, 'inline')
          : html`<a class="button" href="${ways.start}">${say('end.again')}</a>`
      }
      ${
        embedded
          ? // of the portal, only /embed may be in a frame
            html`<a class="button quiet" href="/g/${slug}" target="_blank" rel="noopener">${say('end.about', { game: game!.name })}</a>`
          : lesson
            ? html`<a class="button quiet" href="/join/wait">${say('end.lesson')}</a>${postForm(visit, ways.end, html`<button class="quiet">${say('join.done')}</button>`, 'inline')}`
            : html`<a class="button quiet" href="/">${say('end.others')}</a>
        <a class="button quiet" href="${ways.start}?done=left">${say('join.done')}</a>`
      }</div></div><div>${result && result.statements > 0 && html`<p class="hint">${say('end.saved')}</p>`}${result && levelList(say, result.levels, game!)}${
        !embedded &&
        !lesson &&
        html`<p class="hint">${
          known === undefined
            ? say('end.notRemembered')
            : html`${say('end.remembered', { name: known })} <a href="/play/${slug}/data">${say('play.ownData')}</a>.`
        }</p>${code !== undefined && html`<p>${say('end.code', { code })}</p>`}`
      }</div></div>`,
    {
      width: embedded ? 'framed' : 'narrow',
      forLearners: true,
      bare: true,
      scripts: embedded ? ['embed.js'] : lesson ? ['seat.js'] : [],
      styles: ['play.css'],
    },
  )
}

/** A picture, a sentence, and what the game said of itself. */
function inShort(say: Say, result: GetResultResponse | undefined, pupil?: string): Html {
  if (!result || result.statements === 0)
    return html`<p class="picture">${drawing('owl')}</p><h1>${say('end.title')}</h1>${result && html`<p>${say('end.nothing')}</p>`}`
  const { learnerName, levels, success, completion } = result
  const { stars, most } = starsIn(levels)
  const isDone = success ?? (completion || stars > 0)
  return html`<p class="picture">${drawing(isDone ? 'star' : 'sun')}</p><h1>${say(isDone ? 'end.well' : 'end.tried', { name: pupil ?? learnerName })}</h1>
      ${most > 0 && html`<p class="greeting">${say('end.stars', { stars, most })}</p>`}
      <p>${resultInWords(say, result)}</p>`
}

function outcomeOf({ success, completion }: GetResultResponse): TextName | undefined {
  if (success !== undefined) return success ? 'end.passed' : 'end.failed'
  return completion === undefined ? undefined : completion ? 'end.completed' : 'end.notCompleted'
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

/** What the game said of itself, in a line. */
export function resultInWords(say: Say, result: GetResultResponse): string {
  const outcome = outcomeOf(result)
  const words = [...(outcome ? [say.text(outcome)] : []), ...scoresOf(say, result)]
  return [...words, ...(words.length > 0 && result.seconds >= 1 ? [say.time(result.seconds)] : [])].join(' · ')
}
