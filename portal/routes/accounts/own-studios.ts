import type { Router } from 'express'
import { deleteAccountPage, deleteStudioPage } from '../../pages/accounts/studio/endings.ts'
import { startPage } from '../../pages/accounts/account/own-studios.ts'
import { routes } from '../../web/routes.ts'
import { ownPath, type Portal } from '../../web/visit.ts'
import { kindIn } from '../../pages/accounts/sign-in/sign-in.ts'

/** Studios of an account: to open, to switch to; and the ends of studios and accounts. */
export function ownStudios(portal: Portal): Router {
  return routes(portal)
    .withAccount('GET /start', (visit) => startPage(visit))
    .withAccount(
      'POST /start',
      async (visit) => {
        await visit.core.members.openStudio({ studioName: visit.form('studio_name'), kind: kindIn(visit.form) })
        return ownPath(visit.form('next'))
      },
      (visit, sent) => startPage(visit, sent),
    )
    .withAccount('POST /account/switch', async (visit) => {
      await visit.core.members.switchStudio({ studioId: visit.form('studio') })
      return visit.form('next') === '' ? '/games?done=switched' : ownPath(visit.form('next'))
    })
    .member('GET /studio/delete', (visit) => deleteStudioPage(visit))
    .owner(
      'POST /studio/delete',
      async (visit) => {
        const { core, form } = visit
        await core.members.deleteStudio({ name: form('name'), password: form('password') })
        return '/studio/delete'
      },
      (visit, sent) => deleteStudioPage(visit, sent),
    )
    .owner('POST /studio/keep', async (visit) => {
      await visit.core.members.keepStudio({})
      return '/studio/members?done=kept'
    })
    .withAccount('GET /account/delete', (visit) => deleteAccountPage(visit))
    .withAccount(
      'POST /account/delete',
      async (visit) => {
        const { core, form } = visit
        await core.members.deleteAccount({ name: form('name'), password: form('password') })
        return '/account/delete'
      },
      (visit, sent) => deleteAccountPage(visit, sent),
    )
    .withAccount('POST /account/keep', async (visit) => {
      await visit.core.members.keepAccount({})
      return '/account?done=kept'
    })
}
