/** Kinds of notices, for the pages and for mails. */
export const noticeKinds = {
  security: {
    title: 'Safety of the account',
    about: 'A changed password, address or second factor, a sign-in from an unknown browser.',
    always: true,
  },
  review: { title: 'Reviews', about: 'Decisions on your games and on your profile.', always: false },
  message: { title: 'Messages', about: 'A visitor has left a message for your studio.', always: false },
  quota: { title: 'Quotas', about: 'A quota of your studio is nearly used up.', always: false },
  alert: {
    title: 'Alerts',
    about: 'A rate of a game has changed, statements have stopped, or more requests are refused.',
    always: false,
  },
  learner: {
    title: 'Learners',
    about: 'A learner or its school asks for an erasure, or a studio refuses what your school asked for.',
    always: false,
  },
  export: { title: 'Exports', about: 'A file of statements that you asked for is ready.', always: false },
  connection: {
    title: 'Connections',
    about: 'A webhook was turned off, since nobody takes what it sends.',
    always: false,
  },
  team: { title: 'Members', about: 'Who joins or leaves your studio, and changed roles.', always: false },
} as const satisfies Record<string, { title: string; about: string; always: boolean }>

/** `always`: its mails cannot be turned off. */
export type NoticeKind = keyof typeof noticeKinds

export const isNoticeKind = (text: string): text is NoticeKind => Object.hasOwn(noticeKinds, text)
