import { alertKinds, isAlertKind, type AlertKind } from '../../../shared/alert-kinds.ts'
import type { NoticeText } from '../../accounts/store/notices.ts'
import type { Core } from '../../context.ts'
import { Problem } from '../../process/problem.ts'
import type { Store } from '../../store.ts'
import { alertsOf, raise, type Alert, type Watched } from '../rules/alerts.ts'
import type { LeasedWatch } from '../store/game-watches.ts'
import { gameNumber } from './saved-views.ts'

const minute = 60
const hour = 60 * minute
const day = 24 * hour
/** A game without a statement for so long is looked at once a day. */
const idleDays = 35
/** Alerts that one notice lists. */
const mostLines = 5

/**
 * Raises the alerts of a game, and tells its studio of them in the same transaction.
 * @param watched undefined: some statements are not counted yet
 */
export async function raiseAlerts(
  { store, notices }: Pick<Core, 'store' | 'notices'>,
  watch: LeasedWatch,
  watched: Watched | undefined,
): Promise<void> {
  const { studio, off, raised, id } = watch
  if (studio === null) return store.gameWatches.forget(watch)
  // the rules need all statements
  if (watched === undefined) return void (await store.gameWatches.postpone(watch, 10 * minute, undefined))
  const { now } = watched
  const { fresh, raised: kept } = raise(alertsOf(watched), raised, off, now)
  const again = now - watched.last > idleDays * day * 1000 ? day : hour
  await store.transaction(async (run) => {
    if (!(await store.gameWatches.postpone(watch, again, kept, run))) return
    for (const kind of Object.keys(alertKinds) as AlertKind[]) {
      const alerts = fresh.filter((alert) => alert.kind === kind)
      if (alerts.length === 0) continue
      await notices.tell(
        { studio, roles: ['analyst', 'developer', 'owner'] },
        'alert',
        textOf(watch, kind, alerts),
        run,
      )
      const about = { alert: kind, texts: alerts.map(({ text }) => text) }
      await store.webhookEvents.tell([id], 'alert.raised', about, run)
    }
  })
}

const pages: Readonly<Record<AlertKind, string>> = {
  rate: '/data/progress?days=7',
  stopped: '',
  refused: '/data/problems?days=7',
}

const textOf = ({ name, gameId }: LeasedWatch, kind: AlertKind, alerts: readonly Alert[]): NoticeText => ({
  title: `${name}: ${alertKinds[kind].title.toLowerCase()}`,
  lines: [
    ...alerts.slice(0, mostLines).map(({ text }) => text),
    ...(alerts.length > mostLines ? [`${alerts.length - mostLines} more levels have changed.`] : []),
    'You get this alert once. If it ends and begins again, you get another one, after 7 days at the earliest. ' +
      'A developer of your studio can turn it off on the page Alerts of the game.',
  ],
  path: `/games/${gameId}${pages[kind]}`,
  action: 'See the game',
})

type Needs = Pick<Store, 'games' | 'gameWatches'>

/** @param studio must own the game; undefined: any game @throws Refusal 'not-found' */
export async function getAlerts(store: Needs, studio: number | undefined, gameId: string) {
  const { off, raised } = await store.gameWatches.get(await gameNumber(store, studio, gameId))
  const timesOf = (kind: string) =>
    Object.entries(raised).flatMap(([key, since]) => (key.split(' ')[0] === kind ? [since] : []))
  return {
    alerts: Object.entries(alertKinds).map(([kind, words]) => ({
      kind,
      ...words,
      off: off.includes(kind),
      raised: Math.max(0, ...timesOf(kind)),
    })),
  }
}

/** @throws Problem, Refusal 'not-found' */
export async function setAlerts(
  store: Needs,
  studio: number | undefined,
  { gameId, off }: { readonly gameId: string; readonly off: readonly string[] },
): Promise<void> {
  if (!off.every(isAlertKind)) throw new Problem('off', 'must be kinds of alerts')
  await store.gameWatches.setOff(await gameNumber(store, studio, gameId), [...new Set(off)])
}
