import { LinkPurpose, LinkService } from '../../../gen/lrs/v1/links_pb.js'
import { sendNewAddress, sendReset, sendVerification } from '../command/send-links.ts'
import { confirmSignUp, findLink, useAddressLink, usePasswordLink } from '../command/use-links.ts'
import type { MailLink } from '../store/mail-links.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { reads, account } from '../../process/methods/audit-entries.ts'
import { person } from '../../process/methods/developer.ts'

const purposes: Record<MailLink['purpose'], LinkPurpose> = {
  'sign-up': LinkPurpose.SIGN_UP,
  verify: LinkPurpose.VERIFY,
  reset: LinkPurpose.PASSWORD,
  address: LinkPurpose.NEW_ADDRESS,
}

/** Links in mails, for the portal. */
export const linkService = service(LinkService, {
  sendReset: method(
    { right: 'public', byPassword: true, audit: { action: 'account.send-reset', subject: account } },
    async (core, { email, senderIp }) => sendReset(core, email, senderIp),
  ),
  sendVerification: method({ right: 'account', audit: 'account.send-verification' }, async (core, _request, context) =>
    sendVerification(core, await person(core, context)),
  ),
  sendNewAddress: method(
    { right: 'account', audit: 'account.send-new-address' },
    async (core, { email, currentPassword, senderIp }, context) =>
      sendNewAddress(core, await person(core, context), email, currentPassword, senderIp),
  ),
  getLink: method({ right: 'public', audit: reads }, async (core, { code }) => {
    const { purpose, email } = await findLink(core, code)
    return { purpose: purposes[purpose], email }
  }),
  confirmSignUp: method(
    {
      right: 'public',
      byPassword: true,
      audit: { action: 'account.confirm-sign-up', subject: (_, made) => made && account(made), signsIn: true },
    },
    async (core, request) => confirmSignUp(core, request),
  ),
  usePasswordLink: method(
    {
      right: 'public',
      byPassword: true,
      audit: { action: 'account.use-password-link', subject: (_, used) => used && account(used) },
    },
    async (core, { code, password }) => ({ email: await usePasswordLink(core, code, password) }),
  ),
  useAddressLink: method(
    { right: 'public', audit: { action: 'account.use-address-link', subject: (_, used) => used && account(used) } },
    async (core, { code }, context) => ({
      email: await useAddressLink(core, code, () => person(core, context)),
    }),
  ),
})
