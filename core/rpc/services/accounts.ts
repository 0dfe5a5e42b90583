import type { ServiceImpl } from '@connectrpc/connect'
import type { AccountService } from '../../../gen/lrs/v1/accounts_pb.js'
import { lacksFactor } from '../../access/developer.ts'
import {
  changePassword,
  resetPassword,
  setReviewer,
  setTrusted,
  signIn,
  signUp,
  type SignedIn,
} from '../../command/accounts/accounts.ts'
import { decideProfile } from '../../command/games/decide-profile.ts'
import { contactStudio } from '../../command/accounts/contact-studio.ts'
import { deleteMessage, deleteMessages } from '../../command/accounts/delete-messages.ts'
import { updateStudio } from '../../command/accounts/update-studio.ts'
import type { Core } from '../../context.ts'
import { getAccount, getPublicStudio } from '../../query/account.ts'
import type { StudioAccount } from '../../store/directory/studios.ts'
import { developer, isAdmin, person } from './developer.ts'
import { membershipMessage, roleMessages } from '../access/roles.ts'

/** The accounts of studios, for the portal and for admins. */
export function accountService(core: Core): ServiceImpl<typeof AccountService> {
  const { studios, studioMessages, studioProfiles, studioSessions } = core.store
  return {
    async signUp(request) {
      const done = await signUp(core, request)
      return done === 'mailed' ? { mailed: true } : signedInAs(done)
    },
    async signIn(request) {
      const done = await signIn(core, request)
      return 'session' in done ? signedInAs(done) : { ...done, passkey: done.passkeys > 0 }
    },
    async signOut(_request, context) {
      await studioSessions.end(await person(core, context))
      return {}
    },
    signOutEverywhere: async (_request, context) => ({
      sessions: await studioSessions.endAll((await person(core, context)).account),
    }),
    async changePassword({ currentPassword, password }, context) {
      await changePassword(core, await person(core, context), currentPassword, password)
      return {}
    },
    async getAccount(_request, context) {
      const who = await person(core, context)
      const { own, messagesFull, memberships, unread, suspendedNote } = await getAccount(core.store, who)
      const { accountId, email, reviewer, admin, mayOwn, role } = who
      return {
        ...(own && studioOf(own)),
        accountId,
        email,
        reviewer,
        admin,
        needsSecondFactor: lacksFactor(who, core.config.secondFactor),
        mayOwn,
        ends: BigInt(who.ends),
        messagesFull,
        suspended: who.isSuspended,
        suspendedNote,
        unread,
        verified: who.verified,
        waits: who.waits,
        role: role === null ? undefined : roleMessages[role],
        memberships: memberships.map(membershipMessage),
      }
    },
    updateStudio: async (request, context) => ({
      studio: profileOf(await updateStudio(core.store, await developer(core, context), request)),
    }),
    async removeLogo(_request, context) {
      await studioProfiles.setLogo((await developer(core, context)).studio, null)
      return {}
    },
    getPublicStudio: async ({ slug }) => ({ studio: profileOf(await getPublicStudio(core.store, slug)) }),
    createChallenge: async () => ({ json: await core.captcha.challenge() }),
    async contactStudio(request) {
      await contactStudio(core, request)
      return {}
    },
    async listMessages(_request, context) {
      const messages = await studioMessages.of((await developer(core, context)).studio)
      return { messages: messages.map(({ sent, ...message }) => ({ ...message, sent: BigInt(sent) })) }
    },
    async deleteMessage({ messageId }, context) {
      await deleteMessage(core.store, await developer(core, context), messageId)
      return {}
    },
    deleteMessages: async ({ messageIds }, context) => ({
      messages: await deleteMessages(core.store, await developer(core, context), messageIds),
    }),
    async setReviewer({ email, reviewer }) {
      await setReviewer(core, email, reviewer)
      return {}
    },
    async discardProfileChanges(_request, context) {
      await studioProfiles.discard((await developer(core, context)).studio)
      return {}
    },
    async decideProfile(decision, context) {
      await decideProfile(core, isAdmin(core, context) ? 'admin' : await person(core, context), decision)
      return {}
    },
    async setTrusted({ email, trusted }) {
      await setTrusted(core, email, trusted)
      return {}
    },
    resetPassword: async ({ email }) => ({ password: await resetPassword(core, email) }),
    async listStudios() {
      const all = await studios.list()
      return {
        studios: all.map(({ email, reviewer, trusted, games, created, ends, ...profile }) => ({
          ends: BigInt(ends),
          studio: profileOf(profile),
          email,
          reviewer,
          trusted,
          games,
          created: BigInt(created),
        })),
      }
    },
  }
}

const studioOf = ({ accepted, changed, waiting, note, ends, ...own }: StudioAccount) => ({
  studioEnds: BigInt(ends),
  studio: profileOf(own),
  accepted: accepted ? { studioId: own.studioId, slug: own.slug, ...accepted } : undefined,
  changed,
  waiting,
  note,
})

const signedInAs = ({ session, expires, known }: SignedIn) => ({ session, expires: BigInt(expires), known })

const profileOf = ({
  studioId,
  name,
  slug,
  about,
  website,
  logo,
}: Pick<StudioAccount, 'studioId' | 'name' | 'slug' | 'about' | 'website' | 'logo'>) => ({
  studioId,
  name,
  slug,
  about,
  website,
  logo,
})
