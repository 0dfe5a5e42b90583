import type { GetPublishedGameResponse } from '../../../../gen/lrs/v1/games_pb.js'
import type { Addresses } from '../../../web/addresses.ts'
import { html, type Html } from '../../../web/html.ts'
import type { Visit } from '../../../web/visit.ts'
import { layout } from '../../parts/layout.ts'
import { pageOfBuild } from '../game-address.ts'
import { frameOf } from '../game-frame.ts'

/** The game, launched by another system. cmi5.js opens it when that system has stored `initialized`. */
export function cmi5Page(visit: Visit, { game, build, player }: GetPublishedGameResponse): Html {
  const { say } = visit
  const { name } = game!
  const shown = { buildId: build!.buildId, player }
  return layout(
    visit,
    name,
    html`
      <div class="play-bar"><h1>${name}</h1>
        <div class="actions"><button type="button" class="quiet small" id="full-screen" hidden>${say('play.fullScreen')}</button>
          <button type="button" class="quiet small" id="leave" data-saving="${say('play.saving')}" hidden>${say('play.leave')}</button></div></div>
      <div class="card" id="over" role="status" hidden><p>${say('cmi5.over')}</p></div>
      <div class="card" id="failed" role="alert" hidden><p>${say('cmi5.failed')}</p>
        <p class="hint">${say('cmi5.why', { why: html`<code></code>` })}</p></div>
      ${frameOf(visit, shown, name, html`data-src="${pageOfBuild(visit.at, shown)}"`)}`,
    {
      bare: true,
      forLearners: true,
      width: 'whole',
      scripts: ['full-screen.js', 'cmi5.js'],
      styles: ['play.css', 'sandbox.css', 'game.css'],
    },
  )
}

/** When a unit counts as done (cmi5, 13.1.4). */
export const moveOns = ['Passed', 'Completed', 'CompletedAndPassed', 'CompletedOrPassed', 'NotApplicable']

/**
 * The course structure of a course with the game as its one unit (cmi5, 13). It takes a window of its own: no other site
 * may show the page in a frame. @param masteryScore empty: none
 */
export function courseStructure(
  { portal }: Addresses,
  { game, textLanguage }: GetPublishedGameResponse,
  { moveOn, masteryScore }: { moveOn: string; masteryScore: string },
): Html {
  const { gameId, name, slug, summary } = game!
  const text = (value: string) => html`<langstring lang="${textLanguage || 'und'}">${value}</langstring>`
  const texts = html`<title>${text(name)}</title><description>${text(summary || name)}</description>`
  const mastery = masteryScore !== '' && html` masteryScore="${masteryScore}"`
  return html`<?xml version="1.0" encoding="utf-8"?>
<courseStructure xmlns="https://w3id.org/xapi/profiles/cmi5/v1/CourseStructure.xsd">
  <course id="${portal}/cmi5/${gameId}/course">${texts}</course>
  <au id="${portal}/cmi5/${gameId}" launchMethod="OwnWindow" moveOn="${moveOn}"${mastery}>${texts}<url>${portal}/cmi5/${slug}</url></au>
</courseStructure>
`
}
