import type { NoticeText } from '../store/notices.ts'
import { fromCatalogue } from './said.ts'

const safety = 'If this was not you, change your password now: that ends all other sessions.'
const link = '/link'

/** The first mail of an account. */
export const confirmSignUp = fromCatalogue('confirmSignUp', link)
/** A sign-up with an address that has an account. */
export const hasAccount = fromCatalogue('hasAccount', '/sign-in')
export const newPassword = fromCatalogue('newPassword', link)
export const verifyAddress = fromCatalogue('verifyAddress', link)
export const newAddress = fromCatalogue('newAddress', link)
export const passwordReset = fromCatalogue('passwordReset', '/account')
export const passwordChanged = fromCatalogue('passwordChanged', '/account')

/** @param to the new address, for the account only; undefined: for the old address */
export const addressChanged = (to?: string): NoticeText =>
  to === undefined ? fromCatalogue('addressGone', '/account') : fromCatalogue('addressChanged', '/account', { to })

/** @param device browser and system in words; empty: unknown */
export function unknownBrowser(when: Date, device = ''): NoticeText {
  const [day, time] = when.toISOString().slice(0, 16).split('T') as [string, string]
  return device === ''
    ? fromCatalogue('unknownBrowser', '/account', { day, time })
    : fromCatalogue('unknownDevice', '/account', { day, time, device })
}

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
