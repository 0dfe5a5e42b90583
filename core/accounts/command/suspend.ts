import { findStudio } from '../access/find-studio.ts'
import type { Core } from '../../context.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Person } from '../store/studio-sessions.ts'
import type { Store } from '../../store.ts'
import { keptAddress } from '../../process/rules/email.ts'
import { paragraphs, studioTexts } from '../../process/rules/text.ts'

/**
 * Suspends a studio, or lifts that: nobody works for it or uploads, its games are neither shown nor started, and their
 * credentials are refused on every core from the answer on. Its data stays. @throws Refusal 'not-found'
 */
export async function suspendStudio(
  { store }: Pick<Core, 'store'>,
  { studio: name, suspended, note }: { readonly studio: string; readonly suspended: boolean; readonly note: string },
): Promise<void> {
  const why = suspended ? paragraphs(note, 'note', studioTexts.suspended) : ''
  const { studio } = await findStudio(store, name)
  await store.transaction(async (run) => {
    await store.games.lockStudio(run, studio)
    await store.operator.setSuspended(run, studio, suspended, why)
    await store.suspendedStudios[suspended ? 'add' : 'remove'](run, studio)
    if (suspended) await store.suspendedStudios.outdate(studio, run)
  })
  // credentials that were issued and remembered while the transaction ran
  if (suspended) await store.suspendedStudios.outdate(studio)
}

/** Suspends an account and ends its sessions, or lifts that. @throws Refusal */
export async function suspendAccount(
  store: Store,
  accountId: string,
  suspended: boolean,
  by: Person | 'admin',
): Promise<void> {
  if (suspended && by !== 'admin' && by.accountId === accountId)
    throw new Refusal('conflict', 'You cannot suspend your own account: another admin can.')
  const account = await store.operator.suspendAccount(accountId, suspended)
  if (account === undefined) throw noAccount()
  if (suspended) await store.studioSessions.endAll(account)
}

/** Ends every session of an account. @throws Refusal 'not-found' */
export async function endAccountSessions(
  { store }: Pick<Core, 'store'>,
  { accountId }: { readonly accountId: string },
): Promise<{ sessions: number }> {
  const { rows } = await store.operator.accounts(accountId)
  const account = rows.find((row) => row.accountId === accountId)
  if (!account) throw noAccount()
  return { sessions: await store.studioSessions.endAll(account.account) }
}

/** Says whether an account may do what operators do. @throws Refusal 'not-found' */
export async function setAdmin(
  { store }: Pick<Core, 'store'>,
  { email, admin }: { readonly email: string; readonly admin: boolean },
): Promise<void> {
  if (!(await store.operator.setAdmin(keptAddress(email), admin))) throw noAccount()
}

const noAccount = () => new Refusal('not-found', 'There is no such account.')
