import { create } from '@bufbuild/protobuf'
import { Orientation, PlayerSettingsSchema } from '../../gen/lrs/v1/games_pb.js'
import { command } from '../command.ts'
import { Failed } from '../failed.ts'
import { gameIdOf } from '../name-game.ts'
import { list } from '../show.ts'

const orientations: Readonly<Record<string, Orientation>> = {
  any: Orientation.UNSPECIFIED,
  landscape: Orientation.LANDSCAPE,
  portrait: Orientation.PORTRAIT,
}

export const player = command({
  about: 'set how the player shows a game (needs a personal token); without options, show the settings',
  takes: { '<game>': 'id or slug (the name in URLs)' },
  options: {
    '--isolated': 'isolate it from other origins, so that it may use threads',
    '--no-isolated': 'do not isolate it',
    '--orientation <how>': 'how a phone is held: any, landscape, portrait',
    '--embed <origin...>':
      'origins of all pages that may show it in a frame, such as https://school.example; replaces the list',
    '--no-embed': 'no page may show it in a frame',
    '--devices': 'installed copies may be linked with learners',
    '--no-devices': 'they may not; those that are linked start no session',
    '--launch-link <link>': 'what opens an installed copy, such as myquiz://play; "" for nothing',
  },
  examples: [
    'games player chess --isolated',
    'games player chess --orientation landscape',
    'games player chess --embed https://school.example https://www.school.example',
  ],
  async run(core, { game, isolated, orientation, embed, devices, launchLink }) {
    const held = orientation === undefined ? undefined : orientations[orientation]
    if (orientation !== undefined && held === undefined)
      throw new Failed('--orientation must be any, landscape or portrait.', 2)
    const gameId = await gameIdOf(core, game)
    const shown = async () => (await core.games.getGame({ gameId })).game!.player!
    const before = await shown()
    const player = create(PlayerSettingsSchema, {
      isolated: isolated ?? before.isolated,
      orientation: held ?? before.orientation,
      embed: embed === undefined ? before.embed : [...(embed || [])],
      devices: devices ?? before.devices,
      launchLink: launchLink ?? before.launchLink,
    })
    const isSet = [isolated, held, embed, devices, launchLink].some((one) => one !== undefined)
    if (isSet) await core.games.setPlayer({ gameId, player })
    const now = isSet ? await shown() : before
    const name = Object.keys(orientations).find((one) => orientations[one] === now.orientation)!
    const isolation = now.isolated ? 'yes' : 'no'
    return {
      json: now,
      text: list({
        isolated: isolation,
        orientation: name,
        embed: now.embed.join(' ') || 'none',
        devices: now.devices ? 'yes' : 'no',
        'launch link': now.launchLink || 'none',
      }),
    }
  },
})
