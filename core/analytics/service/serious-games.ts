import type { HandlerContext } from '@connectrpc/connect'
import { SeriousGamesService } from '../../../gen/lrs/v1/serious_games_pb.js'
import type { Core } from '../../context.ts'
import { dayName } from '../query/range-of-days.ts'
import { listPlayed, listPlayers, type PlayedQuery } from '../query/serious-games.ts'
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
    return { completables: listed.things.map(completableOf), counted: countedOf(listed) }
  }),
  listProgress: method({ right: 'analyst', token: 'read', audit: reads }, async (core, request, context) => {
    const asked = { ...request, limit: request.limit || defaultLimit }
    const { thing, players, next, ...listed } = await listPlayers(core, await studioOf(core, context), asked)
    return {
      players: players.map(({ agent, day, count, ...player }) => ({
        ...player,
        actor: agent,
        day: dayName(day),
        progressed: count,
      })),
      next,
      counted: countedOf({ ...listed, more: next !== '' }),
      activity: thing && activityOf(thing),
    }
  }),
  listReachables: method({ right: 'analyst', token: 'read', audit: reads }, async (core, request, context) => {
    const listed = await list(core, request, context, [kinds.accessed, kinds.skipped])
    return { reachables: listed.things.map(reachableOf), counted: countedOf(listed) }
  }),
  listAlternatives: method({ right: 'analyst', token: 'read', audit: reads }, async (core, request, context) => {
    const listed = await list(core, request, context, [kinds.chosen, kinds.unlocked])
    const options = Map.groupBy(listed.options, ({ thing }) => thing)
    return {
      alternatives: listed.things.map((thing) => alternativeOf(thing, options.get(thing.thing) ?? [])),
      counted: countedOf(listed),
    }
  }),
  listTargets: method({ right: 'analyst', token: 'read', audit: reads }, async (core, request, context) => {
    const listed = await list(core, request, context, [kinds.interacted, kinds.used])
    return { targets: listed.things.map(targetOf), counted: countedOf(listed) }
  }),
})

const activityOf = ({ iri, name, type }: PlayedThing) => ({
  activityId: iri,
  name,
  type: playType(type) ?? '',
})

function completableOf(thing: ThingCounts) {
  const bins = (of: (reached: Reached) => number) => {
    const sums = Array<number>(progressBins).fill(0)
    for (const reached of thing.reached) sums[of(reached)]! += reached.people
    return sums
  }
  return {
    activity: activityOf(thing),
    progressed: thing.statements[0]!,
    players: thing.people[0]!,
    latest: bins(({ latest }) => latest),
    highest: bins(({ highest }) => highest),
  }
}

const reachableOf = (thing: ThingCounts) => ({
  activity: activityOf(thing),
  accessed: thing.statements[0]!,
  skipped: thing.statements[1]!,
  accessedBy: thing.people[0]!,
  skippedBy: thing.people[1]!,
})

const targetOf = (thing: ThingCounts) => ({
  activity: activityOf(thing),
  interacted: thing.statements[0]!,
  used: thing.statements[1]!,
  interactedBy: thing.people[0]!,
  usedBy: thing.people[1]!,
})

function alternativeOf(thing: ThingCounts, options: readonly OptionCounts[]) {
  const sum = (name: 'right' | 'wrong') => options.reduce((all, option) => all + option[name], 0)
  const of = (number: number) => options.find(({ option }) => option === number)
  return {
    activity: activityOf(thing),
    chosen: thing.statements[0]!,
    players: thing.people[0]!,
    right: sum('right'),
    wrong: sum('wrong'),
    unlocked: thing.statements[1]!,
    unlockedBy: thing.people[1]!,
    options: options.filter(({ option }) => option > otherOption),
    other: of(otherOption),
    withoutResponse: of(noResponse)?.chosen ?? 0,
  }
}
