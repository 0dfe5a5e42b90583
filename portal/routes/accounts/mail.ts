import { Router } from 'express'
import { LinkPurpose } from '../../../gen/lrs/v1/links_pb.js'
import type { Html } from '../../web/html.ts'
import { linkPage, resetPage, sentPage } from '../../pages/accounts/sign-in/links.ts'
import { mailPage } from '../../pages/accounts/account/mail.ts'
import type { Sent } from '../../pages/parts/form.ts'
import { signInWays } from '../../web/sign-in-providers.ts'
import {
  keepSession,
  page,
  refused,
  seeOther,
  userAgent,
  withAccount,
  type Portal,
  type Visit,
  type WithAccount,
} from '../../web/visit.ts'

const done: Readonly<Record<string, string>> = {
  verify: 'A mail with a link is on its way.',
  address: 'A mail with a link is on its way to the new address.',
  kinds: 'Saved.',
  verified: 'Your e-mail address is verified.',
}

/** Links in mails, and what an account says about its mails. */
export function mail(portal: Portal): Router {
  return Router()
    .get(
      '/reset',
      page(portal, async (visit) => {
        if ((await signInWays(portal)).only) return seeOther(visit, '/sign-in')
        return resetPage(visit, await isOn(visit))
      }),
    )
    .post(
      '/reset',
      page(portal, async (visit) => {
        const { core, form, senderIp } = visit
        try {
          await core.links.sendReset({ email: form('email'), senderIp })
          return sentPage(visit, 'reset', form('email').trim())
        } catch (error) {
          return resetPage(visit, await isOn(visit), { failure: refused(visit, error), values: form })
        }
      }),
    )
    .get(
      '/link',
      page(portal, async (visit) => {
        const code = visit.query('code')
        return linkPage(visit, code, await visit.core.links.getLink({ code }))
      }),
    )
    .post(
      '/link',
      page(portal, (visit) => use(visit)),
    )
    .get(
      '/account/mail',
      withAccount(portal, (visit) => settings(visit)),
    )
    .post(
      '/account/mail/verify',
      withAccount(portal, async (visit) => {
        await visit.core.links.sendVerification({})
        seeOther(visit, '/account/mail?done=verify')
      }),
    )
    .post(
      '/account/mail/address',
      withAccount(portal, async (visit) => {
        const { core, form, senderIp } = visit
        try {
          const currentPassword = form('current_password')
          await core.links.sendNewAddress({ email: form('email'), currentPassword, senderIp })
          seeOther(visit, '/account/mail?done=address')
        } catch (error) {
          return settings(visit, { failure: refused(visit, error), values: form })
        }
      }),
    )
    .post(
      '/account/mail/kinds',
      withAccount(portal, async (visit) => {
        const { kinds } = await visit.core.notices.listNoticeKinds({})
        const off = kinds.filter(({ kind, always }) => !always && visit.form(kind) === '')
        await visit.core.notices.setMutedKinds({ kinds: off.map(({ kind }) => kind) })
        seeOther(visit, '/account/mail?done=kinds')
      }),
    )
}

const isOn = async ({ core }: Visit): Promise<boolean> => (await core.notices.getMail({})).on

async function settings(visit: WithAccount, sent?: Sent): Promise<Html> {
  const [on, kinds] = await Promise.all([isOn(visit), visit.core.notices.listNoticeKinds({})])
  const what = visit.query('done')
  return mailPage(visit, on, kinds, sent, Object.hasOwn(done, what) ? done[what] : undefined)
}

/** Does what the link is good for. */
async function use(visit: Visit): Promise<Html | void> {
  const { core, form, senderIp } = visit
  const code = form('code')
  const link = await core.links.getLink({ code })
  try {
    if (link.purpose === LinkPurpose.SIGN_UP) {
      keepSession(
        visit,
        await core.links.confirmSignUp({ code, password: form('password'), senderIp, userAgent: userAgent(visit) }),
      )
      seeOther(visit, '/games')
    } else if (link.purpose === LinkPurpose.PASSWORD) {
      await core.links.usePasswordLink({ code, password: form('password') })
      seeOther(visit, '/sign-in?done=password')
    } else {
      await core.links.useAddressLink({ code })
      seeOther(visit, visit.account ? '/account/mail?done=verified' : '/sign-in?done=verified')
    }
  } catch (error) {
    return linkPage(visit, code, link, { failure: refused(visit, error) })
  }
}
