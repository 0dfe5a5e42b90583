import type { GetBoardResponse } from '../../../../gen/lrs/v1/lesson_results_pb.js'
import { html, type Html } from '../../../web/html.ts'
import type { SignedIn } from '../../../web/visit.ts'
import { layout } from '../../parts/layout.ts'
import { qrCode } from '../classes/sheet.ts'
import { pathOf } from './board.ts'
import { inGroups, joinAddress, nameOf, shortened } from './words.ts'

/** A lesson for the wall of the room: how to join, and how many have done what. It has no names. */
export async function projectorPage(visit: SignedIn, board: GetBoardResponse): Promise<Html> {
  const { say } = visit
  const lesson = board.lesson!
  const path = pathOf(lesson)
  return layout(
    visit,
    say.text('lesson.title', { class: lesson.className, game: lesson.gameName }),
    html`<div class="projector" id="board"${lesson.ended === 0n && html` data-from="${path}/projector/now"`}>
      <p class="back"><a href="${path}">${say('lesson.backToBoard')}</a></p>
      ${await projectorParts(visit, board)}</div>`,
    { inLanguage: true, width: 'whole', bare: true, styles: ['lesson.css'], scripts: ['lesson.js'] },
  )
}

/** What an open page of it asks for each second. */
export const projectorNow = async (visit: SignedIn, board: GetBoardResponse): Promise<Html> =>
  html`<div>${await projectorParts(visit, board)}</div>`

async function projectorParts(visit: SignedIn, { lesson, pupils, levels }: GetBoardResponse): Promise<Html> {
  const { say } = visit
  const { gameName, code, paused, ended } = lesson!
  const address = joinAddress(visit)
  const joining =
    ended > 0n
      ? html`<p class="large">${say('lesson.ended')}</p>`
      : paused
        ? html`<p class="large">${say('lesson.lookUp')}</p>`
        : html`<div><p class="address">${say('lesson.join', { address: shortened(address) })}</p>
          <p class="code" aria-label="${say('lesson.code')}">${inGroups(code)}</p></div>
          ${await qrCode(`${address}?code=${code}`, say.text('lesson.qr'))}`
  return html`<h1 data-part>${gameName}</h1><section class="joining" data-part>${joining}</section>
      <p class="in" role="status" data-part>${ended === 0n && say('lesson.in', { count: pupils.filter(({ seatId }) => seatId !== '').length })}</p>
      <ol class="levels" data-part>${levels.map((level, n) => {
        const cells = pupils.map(({ cells }) => cells[n]!)
        const done = cells.filter((cell) => cell.done).length
        const now = cells.filter((cell) => cell.now).length
        return html`<li><span>${nameOf(visit, level)}</span><meter max="${Math.max(1, pupils.length)}" value="${done}"
        aria-label="${nameOf(visit, level)}"></meter><span>${say('lesson.levelCounts', { done, now })}</span></li>`
      })}</ol>`
}
