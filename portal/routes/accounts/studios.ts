import { Router } from 'express'
import { captchaWidget } from '../../pages/accounts/studio/captcha-widget.ts'
import type { Html } from '../../web/html.ts'
import { messagesPage } from '../../pages/accounts/studio/messages.ts'
import { publicStudioPage } from '../../pages/accounts/studio/public-studio.ts'
import type { Sent } from '../../pages/parts/form.ts'
import { studioPage } from '../../pages/accounts/studio/studio.ts'
import {
  developer,
  isDeveloper,
  page,
  refused,
  seeOther,
  signedIn,
  uuid,
  type Portal,
  type Visit,
} from '../../web/visit.ts'

const done: Readonly<Record<string, string>> = {
  saved: 'Saved.',
  logo: 'Logo saved.',
  discarded: 'Changes discarded.',
  'logo-removed': 'Logo removed.',
  deleted: 'Message deleted.',
  'all-deleted': 'Messages deleted.',
}
const doneIn = ({ query }: Visit): string | undefined =>
  Object.hasOwn(done, query('done')) ? done[query('done')] : undefined

/** A studio's profile, its public page, and the messages that people leave there. */
export function studios(portal: Portal): Router {
  return Router()
    .get(
      '/studio',
      signedIn(portal, async (visit) =>
        isDeveloper(visit)
          ? studioPage(visit, await reservationsOf(visit), {}, doneIn(visit))
          : seeOther(visit, '/studio/members'),
      ),
    )
    .post(
      '/studio',
      developer(portal, async (visit) => {
        const { core, form } = visit
        try {
          await core.accounts.updateStudio({ name: form('name'), website: form('website'), about: form('about') })
          seeOther(visit, '/studio?done=saved')
        } catch (error) {
          return studioPage(visit, await reservationsOf(visit), { failure: refused(visit, error), values: form })
        }
      }),
    )
    .post(
      '/studio/discard',
      developer(portal, async (visit) => {
        await visit.core.accounts.discardProfileChanges({})
        seeOther(visit, '/studio?done=discarded')
      }),
    )
    .post(
      '/studio/logo/remove',
      developer(portal, async (visit) => {
        await visit.core.accounts.removeLogo({})
        seeOther(visit, '/studio?done=logo-removed')
      }),
    )
    .get(
      '/messages',
      developer(portal, async (visit) =>
        messagesPage(visit, (await visit.core.accounts.listMessages({})).messages, doneIn(visit)),
      ),
    )
    .post(
      '/messages/delete',
      developer(portal, async (visit) => {
        await visit.core.accounts.deleteMessages({ messageIds: visit.form('ids').split(' ') })
        seeOther(visit, '/messages?done=all-deleted')
      }),
    )
    .post(
      '/messages/:id/delete',
      developer(portal, async (visit) => {
        await visit.core.accounts.deleteMessage({ messageId: uuid(visit) })
        seeOther(visit, '/messages?done=deleted')
      }),
    )
    .get(
      '/studios/:slug',
      page(portal, (visit) => publicStudio(visit)),
    )
    .post(
      '/studios/:slug',
      page(portal, async (visit) => {
        const { core, form, senderIp } = visit
        try {
          await core.accounts.contactStudio({
            slug: slugOf(visit),
            senderName: form('sender_name'),
            senderEmail: form('sender_email'),
            message: form('message'),
            solution: form('solution'),
            senderIp,
          })
          seeOther(visit, `/studios/${encodeURIComponent(slugOf(visit))}?done=sent#contact`)
        } catch (error) {
          return publicStudio(visit, { failure: refused(visit, error), values: form })
        }
      }),
    )
    .get(
      '/studios/:slug/challenge',
      page(portal, async (visit) => {
        const { json } = await visit.core.accounts.createChallenge({})
        visit.response.set('Cache-Control', 'no-store').type('json').send(json)
      }),
    )
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
