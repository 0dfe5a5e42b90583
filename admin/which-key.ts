import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SettingError } from '../shared/settings/kinds.ts'
import { dataFolder, isPersonal } from './config.ts'
import type { CoreClient } from './core-client.ts'
import type { Values } from './command.ts'
import { Failed } from './failed.ts'
import type { ofGame } from './filter.ts'
import { gameIdOf } from './name-game.ts'
import type { Session } from './session.ts'

/** The headers with which an admin acts for a game, by the key of its credential. */
export const actingFor = (key: string): { headers: Record<string, string> } => ({
  headers: { 'x-lrs-credential': key },
})

/** The key of the credential for statements; without options, the key of the demo game of `npm start`. */
export async function keyOf(session: Session, core: CoreClient, { key, game }: Values<typeof ofGame>): Promise<string> {
  if (key !== undefined && game !== undefined)
    throw new SettingError('--game and --key exclude each other: use one of them.')
  if (key !== undefined) return key
  if (game !== undefined) {
    if (isPersonal(session.config())) return ownKey(core, game)
    const { credentials } = await core.admin.listCredentials({ gameId: await gameIdOf(core, game) })
    const usable = credentials.find(({ revoked }) => revoked === 0n)
    if (usable) return usable.key
    throw new Failed(`The game ${game} has no credential: "credentials issue ${game}" creates one.`)
  }
  const demo = session.config().isOwn && !isPersonal(session.config()) ? demoKey(session) : undefined
  if (demo !== undefined) return demo
  throw new SettingError('Name a game with --game <id or slug>, or --key <key of a credential>.')
}

/** With a personal token: of a game of the studio. */
async function ownKey(core: CoreClient, named: string): Promise<string> {
  const { game } = await core.games.getGame({ gameId: await gameIdOf(core, named) })
  if (game?.credential && game.credential.revoked === 0n) return game.credential.key
  throw new Failed(`The game ${named} has no credential: it gets one with its first approval.`)
}

function demoKey({ env }: Session): string | undefined {
  try {
    const { demo } = JSON.parse(readFileSync(join(dataFolder(env), 'secrets.json'), 'utf8')) as {
      demo?: Record<string, { key?: string }>
    }
    const [first, ...others] = Object.values(demo ?? {})
    return others.length === 0 ? first?.key : undefined
  } catch {
    return undefined
  }
}
