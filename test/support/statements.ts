import { randomUUID } from 'node:crypto'

export interface Agent {
  objectType?: 'Agent' | 'Group'
  name?: string
  mbox?: string
  account?: { homePage: string; name: string }
  member?: Agent[]
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests build valid and invalid statements alike
export type Json = any

export const player = (name: string): Agent => ({
  objectType: 'Agent',
  account: { homePage: 'https://players.example.org', name },
})
export const verb = (name: string) => ({ id: `https://games.example.org/verbs/${name}` })
export const activity = (name: string) => ({ id: `https://games.example.org/activities/${name}` })

/** A valid statement with an id of its own; `over` replaces whole properties. */
export function statement(over: Record<string, unknown> = {}): Json {
  return { id: randomUUID(), actor: player('ann'), verb: verb('played'), object: activity('chess'), ...over }
}

export const statements = (count: number, over: Record<string, unknown> = {}): Json[] =>
  Array.from({ length: count }, () => statement(over))

export const reference = (id: string) => ({ objectType: 'StatementRef', id })

export const voiding = (id: string, over: Record<string, unknown> = {}): Json =>
  statement({ verb: { id: 'http://adlnet.gov/expapi/verbs/voided' }, object: reference(id), ...over })
