import type {
  ListCompletablesResponse,
  ListReachablesResponse,
  ListTargetsResponse,
  PlayedActivity,
} from '../../../gen/lrs/v1/serious_games_pb.js'
import type { Side } from '../../charts/sides.ts'

/** What players did with the things of a game. */
export interface Elements {
  readonly completables: ListCompletablesResponse
  readonly reachables: ListReachablesResponse
  readonly targets: ListTargetsResponse
}

export type Sides = readonly Side<Elements>[]
export interface WithActivity {
  readonly activity?: PlayedActivity | undefined
}
export const idOf = ({ activity }: WithActivity): string => activity!.activityId
