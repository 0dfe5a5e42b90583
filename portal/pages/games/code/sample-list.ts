import type { Game } from '../../../../gen/lrs/v1/games_pb.js'
import { html, type Html } from '../../../web/html.ts'
import { codeBlock } from '../../../web/code-block.ts'
import type { Sample } from './client-code.ts'
import { gameSamples, type EngineSample } from './engine-code.ts'

/** Samples below each other, of which one is open at a time. The page needs `copy.js` and `game.css`. */
export const sampleList = (group: string, samples: readonly (Sample | EngineSample)[]): Html =>
  html`${samples.map(
    (
      sample,
      index,
    ) => html`<details class="sample" name="${group}"${index === 0 && html` open`}><summary>${sample.name}</summary>
        ${'from' in sample && sample.from && html`<p class="hint"><a href="${sample.from.href}"${sample.from.href.endsWith('.js') && html` download`}>${sample.from.text}</a>, then:</p>`}
        ${codeBlock(`${group}-${index}`, `code for ${sample.name}`, sample.code)}</details>`,
  )}`

/** How this game reports, in every engine. */
export const engineSection = ({ activityId }: Game): Html =>
  html`<section class="card" aria-labelledby="engines"><h2 id="engines">In your game</h2>
        <p class="muted">The game gets its launch context when it starts: no key, no secret. The ids of your game are
        filled
        in. More: <a href="/docs/first-statement">the first statement</a>, <a href="/docs/launch">launching a game</a>,
        <a href="/docs/serious-games">statements that the charts understand</a>.</p>
        ${sampleList('engine', gameSamples(activityId))}</section>`
