import { weeklyMails as limits } from '../../../shared/limits.ts'
import type { Week } from '../../analytics/rules/week.ts'
import type { Core } from '../../context.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Store } from '../../store.ts'
import { nextMonday, sentences } from '../rules/weekly.ts'
import type { Developer } from '../store/studio-sessions.ts'
import type { LeasedWeekly, WatchedGame } from '../store/weekly-mails.ts'

/** Whether a member gets the weekly mail of the studio. */
export async function setWeekly(
  { weeklyMails }: Pick<Store, 'weeklyMails'>,
  { studio, account }: Pick<Developer, 'studio' | 'account'>,
  on: boolean,
): Promise<void> {
  if (!on) return weeklyMails.remove(studio, account)
  const due = nextMonday(Date.now(), await weeklyMails.zoneOf(studio))
  await weeklyMails.add(studio, account, due / 1000)
}

/** Ends a weekly mail by the link in it. @throws Refusal 'not-found' */
export async function endWeekly(
  { store, links }: Pick<Core, 'store' | 'links'>,
  { code }: { readonly code: string },
): Promise<void> {
  const weeklyId = links.linkOf(code)
  if (weeklyId === undefined) throw new Refusal('not-found', 'This link is not complete: open it from the mail again.')
  await store.weeklyMails.end(weeklyId)
}

/** A game with its week. */
export type PlayedWeek = WatchedGame & { readonly week: Week }

/** Writes the mail, if somebody played, and when the next one is due, in one transaction. */
export async function writeWeekly(
  { store, notices }: Pick<Core, 'store' | 'notices'>,
  weekly: LeasedWeekly,
  games: readonly PlayedWeek[],
  now: number = Date.now(),
): Promise<void> {
  const { account, recipient, name, zone, weeklyId, isWanted } = weekly
  const played = games.filter(({ week }) => week.players > 0).toSorted((a, b) => b.week.players - a.week.players)
  await store.transaction(async (run) => {
    if (!(await store.weeklyMails.postpone(weekly, nextMonday(now, zone) / 1000, run))) return
    if (played.length === 0 || !isWanted || !notices.mail) return
    const content = {
      title: `The week of ${name}`,
      lines: played.slice(0, limits.games).map(({ name, week }) => `${name}: ${sentences(week)}`),
      path: '/games',
      action: 'See your games',
      ends: weeklyId,
    }
    await store.mails.add({ account, recipient }, 'weekly', content, null, run)
  })
}
