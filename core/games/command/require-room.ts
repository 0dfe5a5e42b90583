import { comparedInBytes, inBytes } from '../../../shared/limits.ts'
import { say } from '../../../shared/say.ts'
import type { Run } from '../../process/database/database.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Store } from '../../store.ts'
import type { Quotas } from '../rules/quotas.ts'

interface Wanted {
  /** Bytes of the build. */
  readonly size: number
  /** Bytes that an upload of it has reserved. */
  readonly reserved: number
  readonly allowed: Quotas
}

/** The caller has locked the studio. @throws Refusal when the studio has no room for a build */
export async function requireRoom(
  store: Store,
  run: Run,
  studio: number,
  { size, reserved: own, allowed }: Wanted,
): Promise<void> {
  const games = await store.games.count(run, studio)
  if (games > allowed.games) {
    throw new Refusal(
      'quota-exceeded',
      say`You have ${games} games and may have ${allowed.games}, drafts included: delete one before you upload builds.`,
      { rule: 'limits#games' },
    )
  }
  const { builds, reserved } = await store.builds.storageUsed(studio, run)
  const others = reserved - own
  const free = allowed.storage - builds - others
  if (size <= free) return
  const held = `${inBytes(builds)} in builds${others > 0 ? ` and ${inBytes(others)} in uploads under way` : ''}`
  const [here, room] = comparedInBytes(size, Math.max(0, free))
  throw new Refusal(
    'quota-exceeded',
    say`This build has ${here}, but of your ${inBytes(allowed.storage)} only ${room} are free: you hold ${held}.`,
    { rule: 'limits#storage' },
  )
}
