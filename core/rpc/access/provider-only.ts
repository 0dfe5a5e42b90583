import type { DescMethod } from '@bufbuild/protobuf'
import { AccountService } from '../../../gen/lrs/v1/accounts_pb.js'
import { LinkService } from '../../../gen/lrs/v1/links_pb.js'
import { SignInService } from '../../../gen/lrs/v1/sign_in_pb.js'
import { Refusal } from '../../refusal.ts'
import type { SignInWays } from '../../studio/sign-in-ways.ts'

const [account, link, signIn] = [AccountService.method, LinkService.method, SignInService.method]
/** Every call that signs in without a provider, or that sets a password. */
const closed = new Set<DescMethod>([
  account.signUp,
  account.signIn,
  account.changePassword,
  account.resetPassword,
  signIn.signInWithPasskey,
  link.sendReset,
  link.confirmSignUp,
  link.usePasswordLink,
])

/** @throws Refusal 'forbidden' where people sign in with a provider only */
export function requireOpen(ways: SignInWays, method: DescMethod): void {
  if (ways === 'provider' && closed.has(method))
    throw new Refusal('forbidden', 'People sign in to this service with a provider only: there are no passwords.')
}
