import express, { type Router } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { PageFailure } from '../../web/failure.ts'
import type { Library } from '../../guides/library.ts'
import { picturesFolder } from '../../guides/links.ts'
import type { Html } from '../../web/html.ts'
import { docsPage, foundPage } from '../../pages/docs/docs.ts'
import { guidePage } from '../../pages/docs/guide.ts'
import { routes } from '../../web/routes.ts'
import { page, type Portal, type Visit } from '../../web/visit.ts'

/** The guides are read at the first visit, with the packages that this needs, so that the portal starts at once. */
const library = async (): Promise<Library> => (await import('../../guides/library.ts')).library()

const pictures = express.static(picturesFolder, { index: false, redirect: false, maxAge: '1h' })

/** The guides of the repository as pages, with a search. */
export const docs = (portal: Portal): Router =>
  routes(portal)
    .use('/docs/screenshots', pictures)
    .page('GET /docs', async (visit) => startOrFound(visit, await library()))
    .get(
      ['/docs/:name', '/docs/:folder/:name'],
      page(portal, async (visit) => guide(visit, await library())),
    )

function startOrFound(visit: Visit, library: Library): Html {
  const asked = visit.query('q').trim()
  return asked === '' ? docsPage(visit, library) : foundPage(visit, library, asked, library.search.find(asked))
}

function guide(visit: Visit, library: Library): Html {
  const name = visit.request.path.slice('/docs/'.length)
  const found = library.guides.get(name)
  if (!found) throw new PageFailure(Reason.NOT_FOUND, 'There is no guide at this address. All guides: /docs.')
  return guidePage(visit, library, name, found)
}
