import type { ConsentRule, ParentLink } from '../../../../gen/lrs/v1/parent_consents_pb.js'
import type { SchoolClass } from '../../../../gen/lrs/v1/schools_pb.js'
import { html, paragraphs, type Html } from '../../../web/html.ts'
import type { SignedIn } from '../../../web/visit.ts'
import { layout } from '../../parts/layout.ts'
import { qrCode, shortAddress } from '../classes/sheet.ts'

/** Slips for parents with the links that were just made, to print and cut. */
export async function slipsPage(
  visit: SignedIn,
  { classId, name }: SchoolClass,
  { text, version }: ConsentRule,
  links: readonly ParentLink[],
): Promise<Html> {
  const { say, at } = visit
  const school = visit.account.studio.name
  const shown = await Promise.all(
    links.map(async (link) => {
      const address = shortAddress(at.portal, link.code, 'parent')
      return html`<li class="slip"><p class="of">${say('class.slipFrom', { school, class: name })}</p>
        <h2>${say('parent.title', { name: link.name })}</h2>${paragraphs(text)}
        <p class="of">${say('parent.version', { version })}</p>
        <div class="ways">${await qrCode(address, say.text('class.slipCode'))}<div><p>${say('class.slipOpen')}</p>
          <p class="address"><a href="${address}">${address}</a></p></div></div>
        <p>${say('class.slipPaper')}</p><p class="sign">${say('class.slipSign')}</p></li>`
    }),
  )
  return layout(
    visit,
    say.text('class.slipsOf', { name }),
    html`<div class="no-print"><p class="notice warn">${links.length > 0 ? say('class.slipsNow') : say('class.slipsNone')}</p>
      <p class="actions"><button type="button" id="print" hidden>${say('class.print')}</button><a class="button quiet"
      href="/classes/${classId}">${say('class.back')}</a></p></div><ul class="sheet slips">${shown}</ul>`,
    { inLanguage: true, styles: ['game.css', 'class.css'], scripts: ['print.js'] },
  )
}
