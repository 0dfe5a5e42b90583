import type { NoticeText } from '../store/notices.ts'

const safety = 'If this was not you, change your password now: that ends all other sessions.'
const link = '/link'
const unused = 'If you did not ask for it, nothing has happened: ignore this mail.'

/** The first mail of an account. */
export const confirmSignUp: NoticeText = {
  title: 'Confirm your e-mail address',
  lines: [
    'Open the link and type the password that you chose. Then the account is ready.',
    `The link works once, for a day. ${unused}`,
  ],
  path: link,
  action: 'Confirm the address',
}

/** A sign-up with an address that has an account. */
export const hasAccount: NoticeText = {
  title: 'You have an account already',
  lines: [
    'A person tried to sign up with your e-mail address. It has an account already, and nothing was changed.',
    'If it was you, sign in. If you forgot the password, choose “Forgot your password?” on that page.',
  ],
  path: '/sign-in',
  action: 'Sign in',
}

export const newPassword: NoticeText = {
  title: 'Set a new password',
  lines: [
    'Open the link to choose a new password. All sessions of the account end then.',
    `The link works once, for 30 minutes. ${unused}`,
  ],
  path: link,
  action: 'Choose a new password',
}

export const verifyAddress: NoticeText = {
  title: 'Verify your e-mail address',
  lines: [
    'Open the link to verify that this address is yours. Then the service can send you mails.',
    'It works once, for a day.',
  ],
  path: link,
  action: 'Verify the address',
}

export const newAddress: NoticeText = {
  title: 'Confirm your new e-mail address',
  lines: ['Open the link, and you sign in with this address from then on.', `It works once, for a day. ${unused}`],
  path: link,
  action: 'Use this address',
}

export const passwordReset: NoticeText = {
  title: 'Your password was changed',
  lines: ['Your account has a new password. All of its sessions and personal tokens have ended.', safety],
  path: '/account',
  action: 'See the account',
}

export const passwordChanged: NoticeText = {
  title: 'Your password was changed',
  lines: [
    'The password of your account was changed, and its other sessions have ended. Personal tokens go on.',
    safety,
  ],
  path: '/account',
  action: 'See the account',
}

/** @param to the new address, for the account only; undefined: for the old address */
export const addressChanged = (to?: string): NoticeText => ({
  title: 'The e-mail address of your account was changed',
  lines: [
    to === undefined
      ? 'Your account has another e-mail address now: you can no longer sign in with this one.'
      : `You sign in with ${to} now.`,
    'If this was not you, write to the operator of the service.',
  ],
  path: '/account',
  action: 'See the account',
})

/** @param device browser and system in words; empty: unknown */
export const unknownBrowser = (when: Date, device = ''): NoticeText => ({
  title: 'A sign-in from a browser that was not used before',
  lines: [
    `There was a sign-in to your account${device === '' ? '' : ` with ${device}`} on ${utc(when)}. ` +
      'The browser had not signed in to it before, or has forgotten that.',
    `If it was you, there is nothing to do. ${safety}`,
  ],
  path: '/account',
  action: 'See the account',
})

/** @param what such as `An authenticator app was added` */
export const factorChanged = (what: string): NoticeText => ({
  title: 'How you sign in was changed',
  lines: [`${what}.`, safety],
  path: '/account/security',
  action: 'See how you sign in',
})

export const tokenMade = (name: string): NoticeText => ({
  title: 'A personal token was made',
  lines: [
    `Programs with the token “${name}” act for you, also after you change your password.`,
    'If you did not make it, revoke it, and set another password: it ends all other sessions.',
  ],
  path: '/account/tokens',
  action: 'See your personal tokens',
})

export const gameDecided = (name: string, gameId: string, approved: boolean, note: string): NoticeText => ({
  title: approved ? `${name} was approved` : `${name} was not approved`,
  lines: [
    approved ? 'The game is public now.' : 'The reviewer asks for changes. Make them, then submit it again.',
    ...said(note),
  ],
  path: `/games/${gameId}`,
  action: 'See the game',
})

export const profileDecided = (approved: boolean, note: string): NoticeText => ({
  title: approved ? 'Your changed profile was approved' : 'Your changed profile was not approved',
  lines: [approved ? 'It is public now.' : 'The old profile stays public.', ...said(note)],
  path: '/studio',
  action: 'See the profile',
})

/** Without the message: what a stranger wrote is read in the portal, not in a mail of ours. */
export const messageLeft = (studio: string): NoticeText => ({
  title: `A message for ${studio}`,
  lines: ['A visitor has left a message for your studio. You can read it in the portal.'],
  path: '/messages',
  action: 'Read the message',
})

export const quotaNearlyUsed = (subject: string, percent: number): NoticeText => ({
  title: 'A quota is nearly used up',
  lines: [
    `${subject}: ${percent} % are used.`,
    'When it is used up, the service refuses more. Remove what you no longer need, or ask the operator for more.',
  ],
  path: '/account',
  action: 'See what is used',
})

/** @param problem why it failed; empty: it is ready */
export const exportEnded = (
  { gameName, gameId }: { readonly gameName: string; readonly gameId: string },
  problem: string,
  days: number,
): NoticeText => ({
  title:
    problem === '' ? `The statements of ${gameName} are ready` : `The statements of ${gameName} could not be exported`,
  lines: [
    problem === ''
      ? `The file that you asked for can be downloaded for ${days} days. Sign in to get it.`
      : `The file that you asked for was not made: ${problem}`,
  ],
  path: `/games/${gameId}/statements/files`,
  action: 'See your files',
})

/** A webhook to which nothing is sent any more. */
export const webhookOff = (
  { name, gameName, gameId }: { readonly name: string; readonly gameName: string; readonly gameId: string },
  problem: string,
): NoticeText => ({
  title: `A webhook of ${gameName} was turned off`,
  lines: [
    `The webhook “${name}” was turned off. ${problem}`,
    'No statement is lost: resume the webhook when its receiver works again.',
  ],
  path: `/games/${gameId}/connections`,
  action: 'See the webhooks',
})

/** Of a limit that begins again each day. */
export const dayNearlyUsed = (subject: string, percent: number): NoticeText => ({
  title: 'A daily limit is nearly used up',
  lines: [`${subject}: ${percent} % of today's are used.`, 'It begins again at 00:00 UTC.'],
  path: '/account',
  action: 'See what is used',
})

const said = (note: string): string[] => (note === '' ? [] : [`The reviewer says:\n${note}`])
const utc = (when: Date): string => `${when.toISOString().slice(0, 16).replace('T', ' at ')} UTC`
