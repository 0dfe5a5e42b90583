import { SignInProblem } from '../../../../gen/lrs/v1/providers_pb.js'

/** A page that says why nobody is signed in. */
export interface ProblemPage {
  /** At the end of its address. */
  readonly path: string
  readonly status: number
  readonly title: string
  /** What happened, and what to do. `it`: the provider. */
  readonly text: (it: string) => string
  /** Trying again may help. */
  readonly again?: true
}

/** All that can go wrong. No page shows what the provider sent. */
export const problems: Readonly<Record<SignInProblem, ProblemPage | undefined>> = {
  [SignInProblem.UNSPECIFIED]: undefined,
  [SignInProblem.OVER]: {
    path: 'over',
    status: 400,
    title: 'Start again',
    text: (it) =>
      `This sign-in with ${it} is over: it took longer than 10 minutes, was finished already, or was begun in another browser. Start again here.`,
    again: true,
  },
  [SignInProblem.DENIED]: {
    path: 'denied',
    status: 403,
    title: 'Not signed in',
    text: (it) => `You stopped, or ${it} did not let you in. Start again, or sign in in another way.`,
    again: true,
  },
  [SignInProblem.UNREACHABLE]: {
    path: 'unreachable',
    status: 503,
    title: 'Not available',
    text: (it) =>
      `${it} does not answer as it should. Try again in a moment, or sign in in another way. If it goes on, tell the operator of this service the time: the log has the cause.`,
    again: true,
  },
  [SignInProblem.NOT_ACCEPTED]: {
    path: 'not-accepted',
    status: 403,
    title: 'Not accepted',
    text: (it) =>
      `The answer of ${it} was not meant for this sign-in, so it does not count. Start again. If it goes on, tell the operator of this service the time: the log has the cause.`,
    again: true,
  },
  [SignInProblem.UNKNOWN]: {
    path: 'unknown',
    status: 403,
    title: 'No account yet',
    text: (it) =>
      `Nobody here is linked to you at ${it}. Sign in to your account in another way and link ${it} in its settings. If you have none, ask the operator of this service.`,
  },
  [SignInProblem.NO_ADDRESS]: {
    path: 'no-address',
    status: 403,
    title: 'No verified address',
    text: (it) =>
      `A new account needs an e-mail address that ${it} has verified, and it named none. Verify your address there, then start again. If you have an account here, sign in to it and link ${it} in its settings.`,
  },
  [SignInProblem.ADDRESS_TAKEN]: {
    path: 'address-taken',
    status: 403,
    title: 'You have an account',
    text: (it) =>
      `Your address at ${it} has an account here already. Sign in to it in another way, then link ${it} in its settings. An address alone does not open an account.`,
  },
  [SignInProblem.OTHER_DOMAIN]: {
    path: 'other-domain',
    status: 403,
    title: 'Not for your address',
    text: (it) =>
      `With ${it}, only people with addresses of certain organizations get an account. Use such an address, or ask the operator of this service.`,
  },
  [SignInProblem.NO_GROUP]: {
    path: 'no-group',
    status: 403,
    title: 'Not in a group',
    text: (it) =>
      `You are in no group at ${it} whose people may sign in here. Ask those who manage the groups, or the operator of this service.`,
  },
  [SignInProblem.SUSPENDED]: {
    path: 'suspended',
    status: 403,
    title: 'Account suspended',
    text: () => 'The operator of this service has suspended your account. Ask the operator.',
  },
  [SignInProblem.LINKED_ELSEWHERE]: {
    path: 'linked-elsewhere',
    status: 409,
    title: 'Not linked',
    text: (it) =>
      `Either this person at ${it} is linked to another account here, or your account is linked to another person at ${it}. Remove that link first.`,
  },
  [SignInProblem.NO_PROVIDER]: {
    path: 'no-provider',
    status: 404,
    title: 'Not offered',
    text: () => 'Signing in with this provider is not offered any more. Sign in in another way.',
  },
  [SignInProblem.TOO_MANY]: {
    path: 'too-many',
    status: 429,
    title: 'Too many sign-ins',
    text: () => 'Too many people begin to sign in right now. Try again in 15 minutes, or use your password.',
  },
}

/** The page of a path; undefined: there is none. */
export const problemOf = (path: string): ProblemPage | undefined =>
  Object.values(problems).find((problem) => problem?.path === path)
