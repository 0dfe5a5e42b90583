import { Orientation, type PlayerSettings as Message } from '../../../gen/lrs/v1/games_pb.js'
import type { PlayerSettings } from '../store/game-pages.ts'

const orientations: Record<PlayerSettings['orientation'], Orientation> = {
  '': Orientation.UNSPECIFIED,
  landscape: Orientation.LANDSCAPE,
  portrait: Orientation.PORTRAIT,
}

export const playerMessage = ({ orientation, ...of }: PlayerSettings) => ({
  ...of,
  orientation: orientations[orientation],
})

/** An unknown orientation is any. */
export const playerSettings = (given: Message | undefined): PlayerSettings => ({
  isolated: given?.isolated ?? false,
  orientation: (['landscape', 'portrait'] as const).find((name) => orientations[name] === given?.orientation) ?? '',
  embed: given?.embed ?? [],
  devices: given?.devices ?? false,
  launchLink: given?.launchLink ?? '',
})
