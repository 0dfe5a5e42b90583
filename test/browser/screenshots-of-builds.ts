import type { Page } from 'playwright-core'
import { Channel, UploadKind } from '../../gen/lrs/v1/uploads_pb.js'
import type { PortalSystem } from '../support/portal.ts'
import type { Studio } from '../support/studios.ts'
import { rawZip } from '../support/zip.ts'

type ShootBoth = (page: Page, name: string, at?: string) => Promise<void>

/** The builds of a game in their channels, and the question before a rollback. */
export async function shootBuilds(
  { system, studio, gameId }: { system: PortalSystem; studio: Studio; gameId: string },
  page: Page,
  shootBoth: ShootBoth,
): Promise<void> {
  const zip = rawZip([{ name: 'index.html', content: '<title>Star Trail</title>' }])
  const words = {
    channel: Channel.BETA,
    version: 'v1.3-beta',
    notes: 'Level 4: the comets.\n\nThe rocket turns faster.',
  }
  await system.upload(studio, UploadKind.BROWSER_BUILD, 'star-trail-3.zip', zip, gameId, words)
  const [kept] = (await studio.on().games.getGame({ gameId })).game!.kept
  await page.goto(`/games/${gameId}/builds`)
  await shootBoth(page, 'builds', '#builds')
  await page.goto(`/games/${gameId}/rollback?to=${kept!.buildId}`)
  await shootBoth(page, 'rollback')
}
