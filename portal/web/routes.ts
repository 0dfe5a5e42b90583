/*
 * How a page is made. A router in portal/routes/<wing>/<what>.ts has the addresses; wing.ts beside it names the router:
 *   export const things = (portal: Portal) =>
 *     routes(portal)
 *       .signedIn('GET /things/:id', async (visit) => thingPage(visit, await thingOf(visit)))
 *       .developer('POST /things', async ({ core, form }) => { … return '/things?done=made' }, thingForm)
 * The method says who may visit: `page` is for everybody, `elsewhere` for browsers that other systems send, `guest` for
 * forms of the pages that they get, `withAccount` sends guests to /sign-in and back, `signedIn` is
 * for members of a studio, `developer` and `reviewer` for some of them, `atSchool` for members of a school, `teacher` for
 * some of them, `member` and `owner` for both. The handler returns the page (Html of
 * `layout`, from a pure function in portal/pages/<wing>), the path of the page to go on with, or nothing if it has
 * answered. `visit.core` has core's services with the visitor's session. Their errors become a page (JSON if only that is
 * accepted); with a third argument they go there, which shows the form again with what was typed.
 * Fields have the names that core's `path` uses; `postForm` (pages/parts/form.ts) adds the CSRF field.
 * Scripts: `layout(…, { scripts: ['thing.js'] })`.
 */
import { Router, type RequestHandler } from 'express'
import type { Failure } from '../../gen/lrs/v1/failure_pb.js'
import {
  anyAccount,
  atSchool,
  developer,
  elsewhere,
  guest,
  member,
  operator,
  owner,
  page,
  refused,
  reviewer,
  signedIn,
  teacher,
  tester,
  withAccount,
  type Answer,
  type Form,
  type Handler,
  type Portal,
  type Visit,
} from './visit.ts'

/** For whom a page is. */
const walls = {
  page,
  elsewhere,
  guest,
  anyAccount,
  withAccount,
  member,
  signedIn,
  developer,
  owner,
  tester,
  atSchool,
  teacher,
  reviewer,
  operator,
}
type Walls = typeof walls
type VisitOf<Name extends keyof Walls> = Parameters<Parameters<Walls[Name]>[1]>[0]

type Place = `${'GET' | 'POST'} /${string}`
/** A form that was refused: why, and what was typed. */
export interface Refused {
  readonly failure: Failure
  readonly values: Form
}
type Again<V extends Visit> = (visit: V, sent: Refused) => Promise<Answer> | Answer

/** A router with a method for each kind of visitor. */
export type Routes = Router & {
  readonly [Name in keyof Walls]: (at: Place, handler: Handler<VisitOf<Name>>, again?: Again<VisitOf<Name>>) => Routes
}

export function routes(portal: Portal): Routes {
  const router = Router()
  const methodOf =
    (wall: (portal: Portal, handler: Handler<Visit>) => RequestHandler) =>
    (at: Place, handler: Handler<Visit>, again?: Again<Visit>) => {
      const [method, path] = at.split(' ') as [string, string]
      const answer = wall(portal, again ? orAgain(handler, again) : handler)
      return router[method.toLowerCase() as 'get' | 'post'](path, answer)
    }
  const methods = Object.entries(walls).map(([name, wall]) => [name, methodOf(wall as typeof page)])
  return Object.assign(router, Object.fromEntries(methods) as Omit<Routes, keyof Router>)
}

const orAgain =
  <V extends Visit>(handler: Handler<V>, again: Again<V>): Handler<V> =>
  async (visit) => {
    try {
      return await handler(visit)
    } catch (error) {
      return again(visit, { failure: refused(visit, error), values: visit.form })
    }
  }
