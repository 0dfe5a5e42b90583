import type { ServiceImpl } from '@connectrpc/connect'
import { LinkPurpose, type LinkService } from '../../../gen/lrs/v1/links_pb.js'
import { sendNewAddress, sendReset, sendVerification } from '../../command/accounts/send-links.ts'
import { confirmSignUp, findLink, useAddressLink, usePasswordLink } from '../../command/accounts/use-links.ts'
import type { Core } from '../../context.ts'
import type { MailLink } from '../../store/directory/mail-links.ts'
import { person } from './developer.ts'

const purposes: Record<MailLink['purpose'], LinkPurpose> = {
  'sign-up': LinkPurpose.SIGN_UP,
  verify: LinkPurpose.VERIFY,
  reset: LinkPurpose.PASSWORD,
  address: LinkPurpose.NEW_ADDRESS,
}

/** Links in mails, for the portal. */
export function linkService(core: Core): ServiceImpl<typeof LinkService> {
  return {
    async sendReset({ email, senderIp }) {
      await sendReset(core, email, senderIp)
      return {}
    },
    async sendVerification(_request, context) {
      await sendVerification(core, await person(core, context))
      return {}
    },
    async sendNewAddress({ email, currentPassword, senderIp }, context) {
      await sendNewAddress(core, await person(core, context), email, currentPassword, senderIp)
      return {}
    },
    async getLink({ code }) {
      const { purpose, email } = await findLink(core, code)
      return { purpose: purposes[purpose], email }
    },
    async confirmSignUp(request) {
      const { expires, ...done } = await confirmSignUp(core, request)
      return { ...done, expires: BigInt(expires) }
    },
    usePasswordLink: async ({ code, password }) => ({ email: await usePasswordLink(core, code, password) }),
    useAddressLink: async ({ code }, context) => ({
      email: await useAddressLink(core, code, () => person(core, context)),
    }),
  }
}
