import { AccountService } from '../../../gen/lrs/v1/accounts_pb.js'
import { lacksFactor } from '../access/developer.ts'
import { changePassword, resetPassword, setReviewer, setTrusted, signIn, signUp } from '../command/accounts.ts'
import { decideProfile, updateStudio } from '../command/studio-profiles.ts'
import { contactStudio, deleteMessage, deleteMessages } from '../command/studio-messages.ts'
import { updateAccount } from '../command/update-account.ts'
import { getAccount, getPublicStudio } from '../query/account.ts'
import type { StudioAccount } from '../store/studios.ts'
import { kindMessages, kindOf, membershipMessage, roleMessages } from './roles.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { reads, account, NotAudited } from '../../process/methods/audit-entries.ts'
import { byDeveloper, byPerson, developer, isAdmin, person } from '../../process/methods/developer.ts'

/** The accounts of studios, for the portal and for admins. */
export const accountService = service(AccountService, {
  signUp: method(
    { right: 'public', byPassword: true, audit: { action: 'account.sign-up', subject: account, signsIn: true } },
    async (core, request) => {
      const done = await signUp(core, { ...request, kind: kindOf(request.kind) })
      return done === 'mailed' ? { mailed: true } : done
    },
  ),
  signIn: method(
    {
      right: 'public',
      byPassword: true,
      audit: {
        action: 'account.sign-in',
        subject: account,
        signsIn: true,
        details: (_, done) => ({ 'second step': done?.pending ? 'follows' : undefined }),
      },
    },
    async (core, request) => {
      const done = await signIn(core, request)
      return 'session' in done ? done : { ...done, passkey: done.passkeys > 0 }
    },
  ),
  signOut: method({ right: 'entrance', audit: 'account.sign-out' }, async (core, _request, context) =>
    core.store.studioSessions.end(await person(core, context)),
  ),
  signOutEverywhere: method(
    {
      right: 'entrance',
      audit: {
        action: 'account.sign-out-everywhere',
        details: (_, ended) => ({ sessions: ended?.sessions }),
      },
    },
    async (core, _request, context) => ({
      sessions: await core.store.studioSessions.endAll((await person(core, context)).account),
    }),
  ),
  changePassword: method(
    { right: 'account', byPassword: true, audit: 'account.change-password' },
    byPerson(changePassword),
  ),
  getAccount: method({ right: 'entrance', token: 'read', audit: reads }, async (core, _request, context) => {
    const who = await person(core, context)
    const { own, messagesFull, memberships, unread, suspendedNote } = await getAccount(core.store, who)
    const { accountId, email, name, zone, language, reviewer, admin, mayOwn, role, kind } = who
    return {
      ...(own && studioOf(own)),
      accountId,
      email,
      name,
      zone,
      language,
      reviewer,
      admin,
      needsSecondFactor: lacksFactor(who, core.config.secondFactor),
      mayOwn,
      ends: who.ends,
      messagesFull,
      suspended: who.isSuspended,
      suspendedNote,
      unread,
      verified: who.verified,
      waits: who.waits,
      waitingRights: [...who.waiting],
      role: role === null ? undefined : roleMessages[role],
      kind: kind === null ? undefined : kindMessages[kind],
      memberships: memberships.map(membershipMessage),
    }
  }),
  updateAccount: method({ right: 'account', audit: 'account.update' }, byPerson(updateAccount)),
  updateStudio: method({ right: 'developer', audit: 'studio.update' }, async (core, request, context) => ({
    studio: await updateStudio(core.store, await developer(core, context), request),
  })),
  removeLogo: method({ right: 'developer', audit: 'studio.remove-logo' }, async (core, _request, context) =>
    core.store.studioProfiles.setLogo((await developer(core, context)).studio, null),
  ),
  getPublicStudio: method({ right: 'public', audit: reads }, async ({ store }, { slug }) => ({
    studio: await getPublicStudio(store, slug),
  })),
  createChallenge: method({ right: 'public', audit: reads }, async (core) => ({
    json: await core.captcha.challenge(),
  })),
  contactStudio: method(
    { right: 'public', audit: new NotAudited('The message itself is kept; its limit counts the sender.') },
    contactStudio,
  ),
  listMessages: method({ right: 'developer', audit: reads }, async (core, _request, context) => ({
    messages: await core.store.studioMessages.of((await developer(core, context)).studio),
  })),
  deleteMessage: method(
    { right: 'developer', audit: { action: 'studio.delete-messages', details: () => ({ messages: 1 }) } },
    byDeveloper(deleteMessage),
  ),
  deleteMessages: method(
    {
      right: 'developer',
      audit: {
        action: 'studio.delete-messages',
        details: ({ messageIds }) => ({ messages: messageIds.length }),
      },
    },
    byDeveloper(deleteMessages),
  ),
  setReviewer: method(
    {
      right: 'admin',
      audit: { action: 'account.set-reviewer', subject: account, details: ({ reviewer }) => ({ reviewer }) },
    },
    setReviewer,
  ),
  discardProfileChanges: method(
    { right: 'developer', audit: 'studio.discard-changes' },
    async (core, _request, context) => core.store.studioProfiles.discard((await developer(core, context)).studio),
  ),
  decideProfile: method(
    {
      right: 'account',
      audit: {
        action: 'studio.decide-profile',
        subject: ({ studioId }) => ({ kind: 'studio', id: studioId }),
        details: ({ approved, profile }) => ({ approved, changes: profile }),
      },
    },
    async (core, decision, context) =>
      decideProfile(core, isAdmin(core, context) ? 'admin' : await person(core, context), decision),
  ),
  setTrusted: method(
    {
      right: 'admin',
      audit: {
        action: 'studio.set-trusted',
        subject: ({ email }) => ({ kind: 'studio', id: email }),
        details: ({ trusted }) => ({ trusted }),
      },
    },
    setTrusted,
  ),
  resetPassword: method(
    { right: 'none', byPassword: true, audit: { action: 'account.reset-password', subject: account } },
    resetPassword,
  ),
  listStudios: method({ right: 'none', audit: reads }, async ({ store }) => ({
    studios: (await store.studios.list()).map((studio) => ({ ...studio, studio })),
  })),
})

const studioOf = ({ accepted, changed, waiting, note, ends, ...own }: StudioAccount) => ({
  studioEnds: ends,
  studio: own,
  accepted: accepted ? { studioId: own.studioId, slug: own.slug, ...accepted } : undefined,
  changed,
  waiting,
  note,
})
