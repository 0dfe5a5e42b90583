import { gameBytes, nearlyUsed } from '../../../shared/limits.ts'
import type { Core } from '../../context.ts'
import { usedOf } from '../../records/access/limited-games.ts'
import { usageOf } from '../access/usage.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import { makers } from '../../accounts/rules/roles.ts'
import { dayNearlyUsed, quotaNearlyUsed } from '../../accounts/notices/texts.ts'

type Needs = Pick<Core, 'store' | 'notices' | 'log'>

/**
 * Tells a studio that games, storage or uploads of the day are nearly used up, after it has added some. Never fails.
 */
export async function warnOfQuotas({ store, notices, log }: Needs, who: Developer): Promise<void> {
  try {
    for (const { subject, anchor, used, limit, resets } of await usageOf(store, who)) {
      // of the bytes of games warnOfFullGames tells
      if (anchor === 'gameBytes') continue
      // once a day for what begins again each day
      const topic = resets === 0 ? `quota:${anchor}` : `quota:${anchor}:${resets}`
      await warn({ store, notices }, { studio: who.studio }, subject, topic, used / limit, resets > 0)
    }
  } catch (error) {
    log.warn({ err: error }, 'a studio could not be told that a quota is nearly used up')
  }
}

/** Tells studios that the bytes of a game are nearly used up; what games send waits for no such look. */
export async function warnOfFullGames({ store, notices }: Omit<Needs, 'log'>): Promise<void> {
  for (const { game, studio, name, quota, used } of await usedOf(store.gameBytes, await store.gameQuotas.all()))
    await warn(
      { store, notices },
      { studio, game },
      `${gameBytes.subject}: ${name}`,
      `quota:game:${game}`,
      used / quota,
    )
}

async function warn(
  { store, notices }: Pick<Core, 'store' | 'notices'>,
  { studio, game }: { readonly studio: number; readonly game?: number },
  subject: string,
  topic: string,
  part: number,
  isDaily = false,
): Promise<void> {
  if (!(part >= nearlyUsed)) return
  const percent = Math.min(100, Math.floor(part * 100))
  const text = (isDaily ? dayNearlyUsed : quotaNearlyUsed)(subject, percent)
  const told = { subject, percent }
  await store.transaction(async (run) => {
    await notices.tell({ studio, roles: makers }, 'quota', text, run, topic)
    const { tell, tellStudio } = store.webhookEvents
    if (game === undefined) await tellStudio(studio, 'quota.nearly_used', told, run, topic)
    else await tell([game], 'quota.nearly_used', told, run, topic)
  })
}
