import { hashSecret } from './secret.ts'
import { Refusal } from '../refusal.ts'
import type { Developer } from '../store/directory/studio-sessions.ts'
import type { Store } from '../store/store.ts'

/** The account of a studio's session. @throws Refusal 'unauthenticated' */
export async function developerOf(store: Store, session: string): Promise<Developer> {
  const developer = session === '' ? undefined : await store.studioSessions.find(hashSecret(session))
  if (!developer) throw new Refusal('unauthenticated', 'Sign in first: the session has ended.', { subject: 'session' })
  return developer
}
