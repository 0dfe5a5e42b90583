import { LinkPurpose, LinkService } from '../../../gen/lrs/v1/links_pb.js'
import { sendNewAddress, sendReset, sendVerification } from '../command/send-links.ts'
import { confirmSignUp, findLink, useAddressLink, usePasswordLink } from '../command/use-links.ts'
import type { MailLink } from '../store/mail-links.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { reads, account } from '../../process/methods/audit-entries.ts'
import { byPerson, person } from '../../process/methods/developer.ts'

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
    sendReset,
  ),
  sendVerification: method({ right: 'account', audit: 'account.send-verification' }, byPerson(sendVerification)),
  sendNewAddress: method({ right: 'account', audit: 'account.send-new-address' }, byPerson(sendNewAddress)),
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
    confirmSignUp,
  ),
  usePasswordLink: method(
    {
      right: 'public',
      byPassword: true,
      audit: { action: 'account.use-password-link', subject: (_, used) => used && account(used) },
    },
    usePasswordLink,
  ),
  useAddressLink: method(
    { right: 'public', audit: { action: 'account.use-address-link', subject: (_, used) => used && account(used) } },
    async (core, { code }, context) => ({
      email: await useAddressLink(core, code, () => person(core, context)),
    }),
  ),
})
