import type { NewLink } from '../../../../gen/lrs/v1/classes_pb.js'
import { Reason } from '../../../../gen/lrs/v1/failure_pb.js'
import type { Game } from '../../../../gen/lrs/v1/games_pb.js'
import { PageFailure } from '../../../web/failure.ts'
import { html, Html } from '../../../web/html.ts'
import type { Visit } from '../../../web/visit.ts'
import { gameLayout } from '../../parts/game-layout.ts'

/** The short address of a code, in groups of four. */
export const shortAddress = (portal: string, code: string, folder: 'i' | 'c' | 'parent' = 'i'): string =>
  `${portal}/${folder}/${code.replaceAll(/(.{4})(?=.)/g, '$1-')}`

/**
 * Links that were just made, as cards to print and cut.
 * @param back page to go on with
 */
export async function sheetPage(
  visit: Visit,
  game: Game,
  links: readonly NewLink[],
  back: { readonly href: string; readonly text: string; readonly title: string },
): Promise<Html> {
  const cards = await Promise.all(links.map((link) => card(visit, game, link, back.title)))
  const isOne = links.length === 1
  return gameLayout(
    visit,
    game,
    isOne ? `The link for ${links[0]!.learnerName}` : `Links of ${back.title}`,
    html`<div class="no-print"><p class="notice warn"><strong>Print ${isOne ? 'it' : 'them'} now</strong>, or save this
      page as PDF: the ${isOne ? 'link is' : 'links are'} shown only once. With a link, anyone can play as
      this learner.</p>
      ${
        isLocal(visit.at.portal) &&
        html`<p class="notice warn">These links begin with ${visit.at.portal}, which no other device can open. Open the
        portal by the address that learners use, then make new links.</p>`
      }
      <p class="actions"><button type="button" id="print" hidden>Print</button><a class="button quiet"
      href="${back.href}">${back.text}</a></p></div>
      <ul class="sheet">${cards}</ul>`,
    { styles: ['game.css', 'class.css'], scripts: ['print.js'] },
  )
}

async function card(visit: Visit, game: Game, { learnerName, code }: NewLink, title: string): Promise<Html> {
  const address = shortAddress(visit.at.portal, code)
  return html`<li class="invitation-card">${await qrCode(address, 'QR code of the link')}
        <div><p class="of">${game.summary!.name}${title !== '' && ` · ${title}`}</p><h2>${learnerName}</h2>
        <p class="address"><a href="${address}">${inLines(address)}</a></p></div></li>`
}

/** The code is never broken: children type it. */
function inLines(address: string): Html {
  const at = address.lastIndexOf('/') + 1
  return html`${address.slice(0, at).replace(/^https:\/\//, '')}<wbr><span class="code">${address.slice(at)}</span>`
}

/** Addresses that lead to the device itself. */
const isLocal = (portal: string): boolean => /^(?:localhost|127\.|\[::1\])/.test(new URL(portal).hostname)

/** Why a form with links is refused. */
export const linksChanged = () =>
  new PageFailure(
    Reason.CONFLICT,
    'Links were made since you opened this form, so no new ones were made. They are shown only once, also ' +
      'when you reload ' +
      'the page. If they were not printed, go back to the page and make new ones.',
  )

/** A QR code as SVG: one line for each run of dark modules, so that a page has room for many. */
export async function qrCode(text: string, label: string): Promise<Html> {
  const { encode } = await import('uqr')
  const { data, size } = encode(text, { ecc: 'M', border: 2 })
  let path = ''
  for (const [y, row] of data.entries()) {
    let end = -1
    for (let x = 0; x < size; x++) {
      if (!row[x]) continue
      let run = 1
      while (row[x + run]) run++
      path += end < 0 ? `M${x} ${y}.5h${run}` : `m${x - end} 0h${run}`
      end = x += run
    }
  }
  return new Html(
    `<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}"><path fill="#fff" d="M0 ` +
      `0h${size}v${size}H0z"/><path stroke="#000" d="${path}"/></svg>`,
  )
}
