import type { MessageInitShape } from '@bufbuild/protobuf'
import { Format, type CellPlaces, type QueryStatementsRequestSchema } from '../gen/lrs/v1/statements_pb.js'
import {
  filterFrom,
  namesIn,
  statementFilters,
  type Group,
  type KeptFilter,
  type NamesIn,
  type StatementFilter,
} from '../shared/statement-filters.ts'
import { agentOf } from './agent.ts'
import type { Values } from './command.ts'
import { fromOne } from './option-values.ts'

export const ofGame = {
  '--game <game>': 'id or slug of the game',
  '--key <key>': 'or the key of a credential; its scopes limit what you see',
}

type OptionsIn<Of extends Group> = {
  readonly [Name in NamesIn<Of> as (typeof statementFilters)[Name]['option'][0]]: string
}
const optionsIn = <Of extends Group>(group: Of) =>
  Object.fromEntries(namesIn(group).map((name) => statementFilters[name].option)) as OptionsIn<Of>
export const filtered = optionsIn('direct')
export const timed = optionsIn('time')
export const related = optionsIn('related')
export const presented = {
  '--format <format>': { about: 'format of each statement, as in xAPI', choices: ['exact', 'ids', 'canonical'] },
  '--language <languages>': 'languages for canonical, as in Accept-Language',
} as const

/** For a key that reads all games. */
export const byCell = {
  '--cell <number>': { about: 'only this cell, with --key that reads all games', parse: fromOne },
  '--without-away': 'go on without cells that cannot be read, and name them',
}

/** How the cells are to be read; undefined: as one. */
export const cellReadingOf = ({ cell, withoutAway }: Values<typeof byCell>) =>
  cell === undefined && !withoutAway ? undefined : { only: cell === undefined ? [] : [cell], withoutAway }

/** Which cells are away, for people; empty: none. */
export const awayIn = (places: CellPlaces | undefined): string => {
  const away = places?.cells.filter((one) => one.away).map(({ cell }) => cell) ?? []
  return away.length === 0 ? '' : `Cell ${away.join(', ')} cannot be read: what its games stored is missing.`
}

/** The options that choose statements. */
export type FilterOptions = Values<typeof ofGame & typeof filtered & typeof timed & typeof related & typeof presented>

export type Filter = Exclude<MessageInitShape<typeof QueryStatementsRequestSchema>, { $typeName: string }>

const formats = { exact: Format.EXACT, ids: Format.IDS, canonical: Format.CANONICAL }

/** Which statements. */
export const statementFilterOf = (options: FilterOptions): StatementFilter =>
  filterFrom((name) =>
    name === 'agent' && options.agent !== undefined ? agentOf(options.agent) : options[name]?.toString(),
  )

export const filterOf = (options: FilterOptions & { readonly ascending?: boolean }): Filter => ({
  ...statementFilterOf(options),
  ascending: options.ascending,
  format: formats[options.format ?? 'exact'],
  acceptLanguage: options.language ?? '',
})

/** The options that choose what a forward or a webhook is about. */
export interface KeptOptions {
  readonly verb?: string
  readonly activity?: string
  readonly related?: boolean
}

/** What is not given stays as it was. */
export const keptFilterOf = ({ verb, activity, related }: KeptOptions, old?: KeptFilter): KeptFilter => ({
  verb: verb ?? old?.verb ?? '',
  activity: activity ?? old?.activity ?? '',
  relatedActivities: related ?? old?.relatedActivities ?? false,
})

/** The filter for people. */
export const filterFacts = ({ verb, activity, relatedActivities }: KeptFilter) => ({
  verb,
  activity: `${activity}${relatedActivities ? ', anywhere' : ''}`,
})
