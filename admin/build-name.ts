import type { Build } from '../gen/lrs/v1/games_pb.js'

/** As `build 3 (v1.2)`. */
export const buildName = ({ number, version }: Pick<Build, 'number' | 'version'>): string =>
  `build ${number}${version && ` (${version})`}`
