import type { Usage as UsageMessage } from '../../../gen/lrs/v1/quotas_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { gameBytes, portalLimits, quotas } from '../../../shared/limits.ts'
import { findStudio } from '../../accounts/access/find-studio.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import type { Store } from '../../store.ts'
import { usedOf } from '../../records/access/limited-games.ts'
import { changedQuotas, effectiveQuotas } from '../rules/quotas.ts'

export type Usage = Fields<UsageMessage>

/** What a studio uses, and the quotas that an admin has changed for it; for admins. @throws Refusal 'not-found' */
export async function usageOfStudio(
  store: Store,
  name: string,
): Promise<{ studioId: string; usage: Usage[]; changed: ReturnType<typeof changedQuotas> }> {
  const studio = await findStudio(store, name)
  const [usage, { quotas }] = await Promise.all([usageOf(store, studio), store.studios.holdings(studio.studio)])
  return { studioId: studio.studioId, usage, changed: changedQuotas(quotas) }
}

/** What a studio uses of its quotas, of its daily limits, and of the byte quotas of its games. */
export async function usageOf(
  { studios, builds, gameBytes: stores, gameQuotas, portalLimits: counts }: Store,
  { studio, studioId }: Pick<Developer, 'studio' | 'studioId'>,
  now = Date.now(),
): Promise<Usage[]> {
  const [held, stored, today, limited] = await Promise.all([
    studios.holdings(studio),
    builds.storageUsed(studio),
    counts.today('buildUploadUrl', studioId),
    gameQuotas.of(studio).then((games) => usedOf(stores, games)),
  ])
  const most = effectiveQuotas(held.quotas)
  const { subject, limit } = portalLimits.buildUploadUrl
  const tomorrow = new Date(now).setUTCHours(24, 0, 0, 0) / 1000
  return [
    { subject: quotas.games.subject, anchor: 'games', used: held.games, limit: most.games, unit: 'games', resets: 0 },
    {
      subject: quotas.storage.subject,
      anchor: 'storage',
      used: stored.builds + stored.reserved,
      limit: most.storage,
      unit: 'bytes',
      resets: 0,
    },
    { subject, anchor: 'buildUploadUrl', used: Math.min(today, limit), limit, unit: 'uploads', resets: tomorrow },
    ...limited.map(({ name, used, quota }) => ({
      subject: `${gameBytes.subject}: ${name}`,
      anchor: 'gameBytes',
      used,
      limit: quota,
      unit: 'bytes',
      resets: 0,
    })),
  ]
}
