import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { PageFailure } from '../../web/failure.ts'
import { languagesOf } from '../../web/say.ts'
import type { Visit } from '../../web/visit.ts'
import { readLearner, type Remembered } from './learner-cookie.ts'

/** The learner whom this browser remembers for the game of the address, and its session. */
export const learnerOf = (visit: Visit): Remembered => readLearner(visit.request, slugOf(visit), isHttps(visit))

export const isHttps = ({ at }: Visit): boolean => at.portal.startsWith('https:')

/** The slug in the address. It becomes part of the name and path of a cookie. */
export function slugOf({ request }: Visit): string {
  const slug = String(request.params['slug'])
  if (/^[a-z\d-]{1,200}$/.test(slug)) return slug
  throw new PageFailure(Reason.NOT_FOUND, 'There is no game at this address.')
}

/** The game of the address, in the language of the visitor. */
export const gameOf = (visit: Visit, slug = slugOf(visit)) =>
  visit.core.games.getPublishedGame({ slug, readLanguages: languagesOf(visit.request, isHttps(visit)) })
