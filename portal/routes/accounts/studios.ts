import type { Router } from 'express'
import { captchaWidget } from '../../pages/accounts/studio/captcha-widget.ts'
import type { Html } from '../../web/html.ts'
import { messagesPage } from '../../pages/accounts/studio/messages.ts'
import { publicStudioPage } from '../../pages/accounts/studio/public-studio.ts'
import type { Sent } from '../../pages/parts/form.ts'
import { studioPage } from '../../pages/accounts/studio/studio.ts'
import { routes } from '../../web/routes.ts'
import { isDeveloper, notice, uuid, type Portal, type Visit } from '../../web/visit.ts'
import { limitsPage } from '../../pages/accounts/studio/limits.ts'

const done: Readonly<Record<string, string>> = {
  saved: 'Saved.',
  logo: 'Logo saved.',
  discarded: 'Changes discarded.',
  'logo-removed': 'Logo removed.',
  deleted: 'Message deleted.',
  'all-deleted': 'Messages deleted.',
}

/** A studio's profile, its public page, and the messages that people leave there. */
export function studios(portal: Portal): Router {
  return routes(portal)
    .signedIn('GET /studio', async (visit) =>
      isDeveloper(visit) ? studioPage(visit, await reservationsOf(visit), {}, notice(visit, done)) : '/studio/members',
    )
    .developer(
      'POST /studio',
      async (visit) => {
        const { core, form } = visit
        await core.accounts.updateStudio({ name: form('name'), website: form('website'), about: form('about') })
        return '/studio?done=saved'
      },
      async (visit, sent) => studioPage(visit, await reservationsOf(visit), sent),
    )
    .developer('POST /studio/discard', async (visit) => {
      await visit.core.accounts.discardProfileChanges({})
      return '/studio?done=discarded'
    })
    .developer('POST /studio/logo/remove', async (visit) => {
      await visit.core.accounts.removeLogo({})
      return '/studio?done=logo-removed'
    })
    .developer('GET /messages', async (visit) =>
      messagesPage(visit, (await visit.core.accounts.listMessages({})).messages, notice(visit, done)),
    )
    .developer('POST /messages/delete', async (visit) => {
      await visit.core.accounts.deleteMessages({ messageIds: visit.form('ids').split(' ') })
      return '/messages?done=all-deleted'
    })
    .developer('POST /messages/:id/delete', async (visit) => {
      await visit.core.accounts.deleteMessage({ messageId: uuid(visit) })
      return '/messages?done=deleted'
    })
    .page('GET /studios/:slug', (visit) => publicStudio(visit))
    .page(
      'POST /studios/:slug',
      async (visit) => {
        const { core, form, senderIp } = visit
        await core.accounts.contactStudio({
          slug: slugOf(visit),
          senderName: form('sender_name'),
          senderEmail: form('sender_email'),
          message: form('message'),
          solution: form('solution'),
          senderIp,
        })
        return `/studios/${encodeURIComponent(slugOf(visit))}?done=sent#contact`
      },
      publicStudio,
    )
    .page('GET /studios/:slug/challenge', async (visit) => {
      const { json } = await visit.core.accounts.createChallenge({})
      visit.response.set('Cache-Control', 'no-store').type('json').send(json)
    })
    .use(captchaWidget())
}

const reservationsOf = async ({ core }: Visit) => (await core.reservations.listOwnReservations({})).reservations

const slugOf = ({ request }: Visit): string => String(request.params['slug'])

async function publicStudio(visit: Visit, sent?: Sent): Promise<Html> {
  const slug = slugOf(visit)
  const [{ studio }, { games }] = await Promise.all([
    visit.core.accounts.getPublicStudio({ slug }),
    visit.core.games.listPublishedGames({ studioSlug: slug }),
  ])
  return publicStudioPage(visit, studio!, games, sent, visit.query('done') === 'sent')
}

export const limits = (portal: Portal): Router =>
  routes(portal).page('GET /limits', async (visit) =>
    limitsPage(visit, (await visit.core.quotas.listLimits({})).limits),
  )
