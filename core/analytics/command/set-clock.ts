import { cuts } from '../../../shared/limits.ts'
import { ours } from '../../../shared/say.ts'
import { noGame } from '../../records/access/no-game.ts'
import { Problem } from '../../process/problem.ts'
import type { Store } from '../../store.ts'
import { zoneIn } from '../../process/rules/zone.ts'
import { isCut } from '../rules/cut.ts'
import { earliest } from '../rules/when.ts'

type Needs = Pick<Store, 'clocks'>

/** @param studio must own the game; undefined: any game @throws Refusal 'not-found' */
export async function clockOf({ clocks }: Needs, studio: number | undefined, gameId: string) {
  const clock = await clocks.get(gameId, studio)
  if (!clock) throw noGame()
  return clock
}

/** Sets the zone of the studio of a game. @throws Problem, Refusal 'not-found' */
export async function setZone(store: Needs, studio: number | undefined, gameId: string, zone: string): Promise<void> {
  const clock = await clockOf(store, studio, gameId)
  zoneIn(zone)
  if (clock.studio === null) throw new Problem('gameId', 'must be a game of a studio; days of other games are in UTC')
  await store.clocks.setZone(clock.studio, zone)
}

/** @param start seconds since 1970; 0: none @throws Problem, Refusal 'not-found' */
export async function setStart(store: Needs, studio: number | undefined, gameId: string, start: number): Promise<void> {
  await clockOf(store, studio, gameId)
  const at = start * 1000
  if (start !== 0 && (at < earliest || at > Date.now()))
    throw new Problem('start', 'must be a time from the year 2000 until now, in seconds since 1970, or 0')
  await store.clocks.setStart(gameId, start === 0 ? null : at)
}

/** @param cut empty: none @param studio must own the game; undefined: any game @throws Problem, Refusal 'not-found' */
export async function setCut(store: Needs, studio: number | undefined, gameId: string, cut: string): Promise<void> {
  await clockOf(store, studio, gameId)
  if (cut !== '' && !isCut(cut))
    throw new Problem(
      'cut',
      ours(`must be language, platform, or the IRI of an extension, of ${cuts.iri} characters at most`),
    )
  await store.clocks.setCut(gameId, cut === '' ? null : cut)
}
