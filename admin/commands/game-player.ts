import { Orientation, PlayerSettingsSchema } from '../../gen/lrs/v1/games_pb.js'
import { create } from '@bufbuild/protobuf'
import { Failed } from '../failed.ts'
import { jsonOf } from '../json-of.ts'
import { gameIdOf } from '../name-game.ts'
import type { Work } from '../session.ts'
import { list } from '../show.ts'

interface Options {
  readonly isolated?: boolean
  readonly orientation?: string
  /** False: none. */
  readonly embed?: readonly string[] | false
}

const orientations: Readonly<Record<string, Orientation>> = {
  any: Orientation.UNSPECIFIED,
  landscape: Orientation.LANDSCAPE,
  portrait: Orientation.PORTRAIT,
}

/** Sets what is given, and shows how the player shows the game. */
export const gamePlayer: Work<Options> = async (session, [named], { isolated, orientation, embed }) => {
  const held = orientation === undefined ? undefined : orientations[orientation]
  if (orientation !== undefined && held === undefined)
    throw new Failed('--orientation must be any, landscape or portrait.', 2)
  const core = await session.connect()
  const gameId = await gameIdOf(core, named!)
  const shown = async () => (await core.games.getGame({ gameId })).game!.player!
  const before = await shown()
  const player = create(PlayerSettingsSchema, {
    isolated: isolated ?? before.isolated,
    orientation: held ?? before.orientation,
    embed: embed === undefined ? before.embed : [...(embed || [])],
  })
  const isSet = isolated !== undefined || held !== undefined || embed !== undefined
  if (isSet) await core.games.setPlayer({ gameId, player })
  const now = isSet ? await shown() : before
  const name = Object.keys(orientations).find((one) => orientations[one] === now.orientation)!
  return {
    json: jsonOf(PlayerSettingsSchema, now),
    text: list([
      ['isolated', now.isolated ? 'yes' : 'no'],
      ['orientation', name],
      ['embed', now.embed.join(' ') || 'none'],
    ]),
  }
}
