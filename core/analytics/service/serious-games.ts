import type { MessageInitShape } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import {
  type AlternativeSchema,
  type CompletableSchema,
  type CountedSchema,
  type OptionSchema,
  type PlayedActivitySchema,
  type ReachableSchema,
  SeriousGamesService,
  type TargetSchema,
} from '../../../gen/lrs/v1/serious_games_pb.js'
import type { Core } from '../../context.ts'
import { dayName } from '../query/range-of-days.ts'
import { listPlayed, listPlayers, type PlayedQuery } from '../query/serious-games.ts'
import type { Counted } from '../rules/counted.ts'
import { countedOf } from './counted.ts'
import type { OptionCounts, PlayedThing, Reached, ThingCounts } from '../store/cell/plays.ts'
import { progressBins } from '../rules/person-days.ts'
import { noResponse, otherOption } from '../rules/played.ts'
import { kinds, type Kind } from '../rules/plays.ts'
import { playType } from '../../records/xapi/serious-games.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { reads } from '../../process/methods/audit-entries.ts'
import { studioOf } from '../../process/methods/developer.ts'

const defaultLimit = 50

const list = async (core: Core, query: PlayedQuery, context: HandlerContext, asked: Kind[]) =>
  listPlayed(core, await studioOf(core, context), query, asked)

export const seriousGamesService = service(SeriousGamesService, {
  listCompletables: method({ right: 'analyst', token: 'read', audit: reads }, async (core, request, context) => {
    const listed = await list(core, request, context, [kinds.progressed])
    return { completables: listed.things.map(completableOf), counted: listedOf(listed) }
  }),
  listProgress: method({ right: 'analyst', token: 'read', audit: reads }, async (core, request, context) => {
    const asked = { ...request, limit: request.limit || defaultLimit }
    const { thing, players, next, ...listed } = await listPlayers(core, await studioOf(core, context), asked)
    return {
      players: players.map(({ agent, name, latest, highest, day, count }) => ({
        actor: agent,
        name,
        latest,
        highest,
        day: dayName(day),
        progressed: BigInt(count),
      })),
      next,
      counted: listedOf({ ...listed, more: next !== '' }),
      activity: thing && activityOf(thing),
    }
  }),
  listReachables: method({ right: 'analyst', token: 'read', audit: reads }, async (core, request, context) => {
    const listed = await list(core, request, context, [kinds.accessed, kinds.skipped])
    return { reachables: listed.things.map(reachableOf), counted: listedOf(listed) }
  }),
  listAlternatives: method({ right: 'analyst', token: 'read', audit: reads }, async (core, request, context) => {
    const listed = await list(core, request, context, [kinds.chosen, kinds.unlocked])
    const options = Map.groupBy(listed.options, ({ thing }) => thing)
    return {
      alternatives: listed.things.map((thing) => alternativeOf(thing, options.get(thing.thing) ?? [])),
      counted: listedOf(listed),
    }
  }),
  listTargets: method({ right: 'analyst', token: 'read', audit: reads }, async (core, request, context) => {
    const listed = await list(core, request, context, [kinds.interacted, kinds.used])
    return { targets: listed.things.map(targetOf), counted: listedOf(listed) }
  }),
})

const listedOf = ({
  more,
  ...counted
}: Counted & { readonly more: boolean }): MessageInitShape<typeof CountedSchema> => ({
  ...countedOf(counted),
  more,
})

const activityOf = ({ iri, name, type }: PlayedThing): MessageInitShape<typeof PlayedActivitySchema> => ({
  activityId: iri,
  name,
  type: playType(type) ?? '',
})

function completableOf(thing: ThingCounts): MessageInitShape<typeof CompletableSchema> {
  const bins = (of: (reached: Reached) => number) => {
    const sums = Array<number>(progressBins).fill(0)
    for (const reached of thing.reached) sums[of(reached)]! += reached.people
    return sums.map(BigInt)
  }
  return {
    activity: activityOf(thing),
    progressed: BigInt(thing.statements[0]!),
    players: BigInt(thing.people[0]!),
    latest: bins(({ latest }) => latest),
    highest: bins(({ highest }) => highest),
  }
}

const reachableOf = (thing: ThingCounts): MessageInitShape<typeof ReachableSchema> => ({
  activity: activityOf(thing),
  accessed: BigInt(thing.statements[0]!),
  skipped: BigInt(thing.statements[1]!),
  accessedBy: BigInt(thing.people[0]!),
  skippedBy: BigInt(thing.people[1]!),
})

const targetOf = (thing: ThingCounts): MessageInitShape<typeof TargetSchema> => ({
  activity: activityOf(thing),
  interacted: BigInt(thing.statements[0]!),
  used: BigInt(thing.statements[1]!),
  interactedBy: BigInt(thing.people[0]!),
  usedBy: BigInt(thing.people[1]!),
})

function alternativeOf(
  thing: ThingCounts,
  options: readonly OptionCounts[],
): MessageInitShape<typeof AlternativeSchema> {
  const sum = (name: 'right' | 'wrong') => BigInt(options.reduce((all, option) => all + option[name], 0))
  const of = (number: number) => options.find(({ option }) => option === number)
  const other = of(otherOption)
  return {
    activity: activityOf(thing),
    chosen: BigInt(thing.statements[0]!),
    players: BigInt(thing.people[0]!),
    right: sum('right'),
    wrong: sum('wrong'),
    unlocked: BigInt(thing.statements[1]!),
    unlockedBy: BigInt(thing.people[1]!),
    options: options.filter(({ option }) => option > otherOption).map(optionOf),
    other: other && optionOf(other),
    withoutResponse: BigInt(of(noResponse)?.chosen ?? 0),
  }
}

const optionOf = ({
  response,
  name,
  chosen,
  right,
  wrong,
  unlocked,
}: OptionCounts): MessageInitShape<typeof OptionSchema> => ({
  response,
  name,
  chosen: BigInt(chosen),
  right: BigInt(right),
  wrong: BigInt(wrong),
  unlocked: BigInt(unlocked),
})
