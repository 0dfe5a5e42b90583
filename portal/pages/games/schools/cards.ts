import type { Card, SchoolClass } from '../../../../gen/lrs/v1/schools_pb.js'
import { html, type Html } from '../../../web/html.ts'
import type { SignedIn } from '../../../web/visit.ts'
import { layout } from '../../parts/layout.ts'
import { qrCode, shortAddress } from '../classes/sheet.ts'

/** Cards that were just made, to print and cut. */
export async function cardsPage(
  visit: SignedIn,
  { classId, name }: SchoolClass,
  cards: readonly Card[],
): Promise<Html> {
  const { say, at } = visit
  const shown = await Promise.all(
    cards.map(async (card) => {
      const address = shortAddress(at.portal, card.code, 'c')
      return html`<li class="invitation-card">${await qrCode(address, say.text('class.cardCode'))}
        <div><p class="of">${name}</p><h2>${card.name}</h2><p class="address"><a href="${address}">${address}</a></p></div></li>`
    }),
  )
  return layout(
    visit,
    say.text('class.cardsOf', { name }),
    html`<div class="no-print"><p class="notice warn">${say('class.printNow')}</p>
      <p class="actions"><button type="button" id="print" hidden>${say('class.print')}</button><a class="button quiet"
      href="/classes/${classId}">${say('class.back')}</a></p></div><ul class="sheet">${shown}</ul>`,
    { inLanguage: true, styles: ['game.css', 'class.css'], scripts: ['print.js'] },
  )
}
