import { Router } from 'express'
import { deleteAccountPage, deleteStudioPage } from '../../pages/accounts/studio/endings.ts'
import { startPage } from '../../pages/accounts/account/own-studios.ts'
import { owner, refused, seeOther, signedIn, withAccount, type Portal } from '../../web/visit.ts'

/** Studios of an account: to open, to switch to; and the ends of studios and accounts. */
export function ownStudios(portal: Portal): Router {
  return Router()
    .get(
      '/start',
      withAccount(portal, (visit) => startPage(visit)),
    )
    .post(
      '/start',
      withAccount(portal, async (visit) => {
        try {
          await visit.core.members.openStudio({ studioName: visit.form('studio_name') })
          seeOther(visit, '/games')
        } catch (error) {
          return startPage(visit, { failure: refused(visit, error), values: visit.form })
        }
      }),
    )
    .post(
      '/account/switch',
      withAccount(portal, async (visit) => {
        await visit.core.members.switchStudio({ studioId: visit.form('studio') })
        seeOther(visit, '/games?done=switched')
      }),
    )
    .get(
      '/studio/delete',
      signedIn(portal, (visit) => deleteStudioPage(visit)),
    )
    .post(
      '/studio/delete',
      owner(portal, async (visit) => {
        const { core, form } = visit
        try {
          await core.members.deleteStudio({ name: form('name'), password: form('password') })
          seeOther(visit, '/studio/delete')
        } catch (error) {
          return deleteStudioPage(visit, { failure: refused(visit, error), values: form })
        }
      }),
    )
    .post(
      '/studio/keep',
      owner(portal, async (visit) => {
        await visit.core.members.keepStudio({})
        seeOther(visit, '/studio/members?done=kept')
      }),
    )
    .get(
      '/account/delete',
      withAccount(portal, (visit) => deleteAccountPage(visit)),
    )
    .post(
      '/account/delete',
      withAccount(portal, async (visit) => {
        const { core, form } = visit
        try {
          await core.members.deleteAccount({ name: form('name'), password: form('password') })
          seeOther(visit, '/account/delete')
        } catch (error) {
          return deleteAccountPage(visit, { failure: refused(visit, error), values: form })
        }
      }),
    )
    .post(
      '/account/keep',
      withAccount(portal, async (visit) => {
        await visit.core.members.keepAccount({})
        seeOther(visit, '/account?done=kept')
      }),
    )
}
