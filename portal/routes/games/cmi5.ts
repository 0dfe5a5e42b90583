/*
 * A game as an assignable unit of cmi5 (docs/cmi5.md): another system launches it with an address of this page, and its
 * record store gets all statements. Everything in the query is hostile. Only the page's scripts read and call it: here
 * its two origins are put into the Content-Security-Policy, and nothing of it is kept or sent on.
 */
import type { Router } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { cmi5Page, courseStructure, moveOns } from '../../pages/games/play/cmi5.ts'
import { downloadedPage } from '../../pages/games/play/embed.ts'
import { packagePath } from '../../pages/parts/media.ts'
import { PageFailure } from '../../web/failure.ts'
import { connectOnly } from '../../web/security-headers.ts'
import { routes } from '../../web/routes.ts'
import type { Portal, Visit } from '../../web/visit.ts'
import { gameOf } from '../parts/player.ts'

export const cmi5 = (portal: Portal): Router =>
  routes(portal)
    .page('GET /cmi5/:slug.xml', async (visit) => {
      const game = await gameOf(visit)
      if (packagePath(visit, game.build!) !== undefined) throw invalid('This game does not run in a browser.')
      const [moveOn, masteryScore] = [visit.query('moveOn') || 'CompletedOrPassed', visit.query('masteryScore')]
      if (!moveOns.includes(moveOn)) throw invalid(`moveOn: must be one of ${moveOns.join(', ')}`)
      if (!/^(|0(\.\d{1,4})?|1(\.0{1,4})?)$/.test(masteryScore))
        throw invalid('masteryScore: must be from 0 to 1, with up to 4 decimals, such as 0.8')
      visit.response.attachment(`${game.game!.slug}-cmi5.xml`).type('application/xml')
      visit.response.send(courseStructure(visit.at, game, { moveOn, masteryScore }).text)
    })
    .page('GET /cmi5/:slug', async (visited) => {
      const visit = { ...visited, account: undefined }
      const game = await gameOf(visit)
      if (packagePath(visit, game.build!) !== undefined) return downloadedPage(visit, game)
      connectOnly(visit.response, [...new Set([originIn(visit, 'endpoint'), originIn(visit, 'fetch')])])
      visit.response.set('Cache-Control', 'no-store')
      return cmi5Page(visit, game)
    })

/** A host-source of a Content-Security-Policy: it has no character that ends or widens the directive. */
const host = /^[a-z\d.-]+(:\d{1,5})?$/
const ownMachine = /^(localhost|127(\.\d{1,3}){3}|.+\.localhost)$/

/** The origin of an address in the query. The portal's own is refused: its scripts must not send it forms of others. */
function originIn({ query, at }: Visit, name: 'endpoint' | 'fetch'): string {
  const url = URL.parse(query(name))
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && ownMachine.test(url.hostname))
  if (url && isSafe && host.test(url.host) && url.origin !== at.portal) return url.origin
  throw invalid(
    `${name}: must be an address of the system that launches the game, with https://; http:// is for localhost only. ` +
      'Open the game from your course.',
  )
}

const invalid = (message: string): PageFailure => new PageFailure(Reason.INVALID, message)
