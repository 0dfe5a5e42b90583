import type { DescMethod } from '@bufbuild/protobuf'
import { NotAudited, type Entry } from '../services/audit-entries.ts'
import { ofData } from './audited-data.ts'
import { ofGames } from './audited-games.ts'
import { ofOperation } from './audited-operation.ts'
import { ofPeople } from './audited-people.ts'

const methods = new Map([...ofPeople, ...ofGames, ...ofData, ...ofOperation])

/** What is kept of the method; undefined: it is not in the table. */
export const auditedAs = ({ parent, localName }: DescMethod) => methods.get(`${parent.typeName}/${localName}`)

export const isAudited = (entry: ReturnType<typeof auditedAs>): entry is Entry<unknown, unknown> =>
  entry !== undefined && !(entry instanceof NotAudited)

/** Every action of the tables, sorted. */
export const auditedActions = (): string[] =>
  [...new Set([...methods.values()].filter(isAudited).map(({ action }) => action))].toSorted()
