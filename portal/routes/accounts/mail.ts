import type { Router } from 'express'
import { LinkPurpose } from '../../../gen/lrs/v1/links_pb.js'
import type { Html } from '../../web/html.ts'
import { linkPage, resetPage, sentPage } from '../../pages/accounts/sign-in/links.ts'
import { mailPage, weeklyPage } from '../../pages/accounts/account/mail.ts'
import type { Sent } from '../../pages/parts/form.ts'
import { signInWays } from '../../web/sign-in-providers.ts'
import { routes } from '../../web/routes.ts'
import type { Say } from '../../web/say.ts'
import {
  keepSession,
  notice,
  sayToMember,
  userAgent,
  type Portal,
  type Visit,
  type WithAccount,
} from '../../web/visit.ts'

const doneOf = (say: Say): Readonly<Record<string, string>> => ({
  verify: say.text('account.linkSent'),
  address: say.text('account.linkSentNew'),
  kinds: say.text('account.saved'),
  weekly: say.text('account.saved'),
  verified: say.text('account.isVerified'),
})

/** Links in mails, and what an account says about its mails. */
export function mail(portal: Portal): Router {
  const router = routes(portal)
  // mail programs send it, without a page of ours: the code alone says which mail ends (RFC 8058)
  router.post('/mail/weekly', async ({ query, body }, response) => {
    await portal.core.notices.endWeeklyMail({ code: String(query['code'] ?? '') })
    // programs may also send multipart/form-data, which is not read, and must not be redirected
    const isPage = (body as Record<string, unknown> | undefined)?.['page'] !== undefined
    if (isPage) response.redirect(303, '/mail/weekly?done=yes')
    else response.status(200).end()
  })
  return router
    .page('GET /mail/weekly', (visit) => weeklyPage(visit, visit.query('code'), visit.query('done') !== ''))
    .withAccount('POST /account/mail/weekly', async (visit) => {
      await visit.core.notices.setWeeklyMail({ on: visit.form('on') !== '' })
      return '/account/mail?done=weekly'
    })
    .page('GET /reset', async (visit) => {
      if ((await signInWays(portal)).only) return '/sign-in'
      return resetPage(visit, await isOn(visit))
    })
    .page(
      'POST /reset',
      async (visit) => {
        const { core, form, senderIp } = visit
        await core.links.sendReset({ email: form('email'), senderIp, language: visit.say.language })
        return sentPage(visit, 'reset', form('email').trim())
      },
      async (visit, sent) => resetPage(visit, await isOn(visit), sent),
    )
    .page('GET /link', (visit) => link(visit, visit.query('code')))
    .page('POST /link', use, (visit, sent) => link(visit, visit.form('code'), sent))
    .withAccount('GET /account/mail', settings)
    .withAccount('POST /account/mail/verify', async (visit) => {
      await visit.core.links.sendVerification({})
      return '/account/mail?done=verify'
    })
    .withAccount(
      'POST /account/mail/address',
      async (visit) => {
        const { core, form, senderIp } = visit
        const currentPassword = form('current_password')
        await core.links.sendNewAddress({ email: form('email'), currentPassword, senderIp })
        return '/account/mail?done=address'
      },
      settings,
    )
    .withAccount('POST /account/mail/kinds', async (visit) => {
      const { kinds } = await visit.core.notices.listNoticeKinds({})
      const off = kinds.filter(({ kind, always }) => !always && visit.form(kind) === '')
      await visit.core.notices.setMutedKinds({ kinds: off.map(({ kind }) => kind) })
      return '/account/mail?done=kinds'
    })
}

const isOn = async ({ core }: Visit): Promise<boolean> => (await core.notices.getMail({})).on

async function settings(visit: WithAccount, sent?: Sent): Promise<Html> {
  const [on, kinds] = await Promise.all([isOn(visit), visit.core.notices.listNoticeKinds({})])
  return mailPage(visit, on, kinds, sent, notice(visit, doneOf(sayToMember(visit))))
}

/** The page of the link whose code was given. */
async function link(visit: Visit, code: string, sent?: Sent): Promise<Html> {
  return linkPage(visit, code, await visit.core.links.getLink({ code }), sent)
}

/** Does what the link is good for, and says where to go on. */
async function use(visit: Visit): Promise<string> {
  const { core, form, senderIp } = visit
  const [code, password] = [form('code'), form('password')]
  const { purpose } = await core.links.getLink({ code })
  if (purpose === LinkPurpose.SIGN_UP) {
    keepSession(visit, await core.links.confirmSignUp({ code, password, senderIp, userAgent: userAgent(visit) }))
    return '/games'
  }
  if (purpose === LinkPurpose.PASSWORD) {
    await core.links.usePasswordLink({ code, password })
    return '/sign-in?done=password'
  }
  await core.links.useAddressLink({ code })
  return visit.account ? '/account/mail?done=verified' : '/sign-in?done=verified'
}
