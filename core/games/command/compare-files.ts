import { noGame } from '../../records/access/no-game.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import { readFiles, type BuildFile } from '../package/build-files.ts'
import { buildFolder } from '../rules/storage-keys.ts'
import type { Files } from './files.ts'

/** Which files of a new build core has already. */
export interface Compared {
  /** Positions of files that no build of the game has. */
  readonly missing: number[]
  /** UUIDs of builds with the same files under the same names. */
  readonly same: string[]
}

/** Browser builds of the game whose files are there: their ids. @throws Refusal unless it is a game of the studio */
export async function browserBuilds({ store }: Pick<Files, 'store'>, studio: number, gameId: string) {
  const id = await store.games.findOwn(studio, gameId)
  const game = id === undefined ? undefined : await store.games.view(id)
  if (!game) throw noGame()
  return game.builds.filter(({ kind }) => kind === 'browser').map(({ buildId }) => buildId)
}

/**
 * Compares a new build with the builds of the same game only. So nobody gets a file of another game by its hash.
 */
export async function compareFiles(
  files: Pick<Files, 'store' | 'storage'>,
  developer: Developer,
  { gameId, files: newFiles }: { readonly gameId: string; readonly files: readonly BuildFile[] },
): Promise<Compared> {
  await files.store.portalLimits.require('uploadUrl', developer.studioId)
  const there = new Set<string>()
  const same: string[] = []
  const paths = new Map(newFiles.map(({ path, sha256 }) => [path, sha256]))
  for (const buildId of await browserBuilds(files, developer.studio, gameId)) {
    const held = await readFiles(files.storage, buildFolder('browser', buildId))
    for (const { size, sha256 } of held) there.add(`${sha256} ${size}`)
    if (held.length > 0 && held.length === paths.size && held.every((file) => paths.get(file.path) === file.sha256))
      same.push(buildId)
  }
  return { missing: newFiles.flatMap(({ size, sha256 }, n) => (there.has(`${sha256} ${size}`) ? [] : [n])), same }
}
