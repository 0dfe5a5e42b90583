/** The shapes of the standard, as they are after validation. */
export type LanguageMap = Record<string, string>
export type Extensions = Record<string, unknown>

export interface Account {
  homePage: string
  name: string
}

/** At most one of the four is there; an Agent has exactly one. */
export interface Identifiers {
  mbox?: string
  mbox_sha1sum?: string
  openid?: string
  account?: Account
}

export interface Agent extends Identifiers {
  objectType?: 'Agent'
  name?: string
}

/** Anonymous (no identifier, with members) or identified (one identifier). */
export interface Group extends Identifiers {
  objectType: 'Group'
  name?: string
  member?: Agent[]
}

export type Actor = Agent | Group

export interface Verb {
  id: string
  display?: LanguageMap
}

export interface InteractionComponent {
  id: string
  description?: LanguageMap
}

export interface ActivityDefinition {
  name?: LanguageMap
  description?: LanguageMap
  type?: string
  moreInfo?: string
  extensions?: Extensions
  interactionType?: string
  correctResponsesPattern?: string[]
  choices?: InteractionComponent[]
  scale?: InteractionComponent[]
  source?: InteractionComponent[]
  target?: InteractionComponent[]
  steps?: InteractionComponent[]
}

export interface Activity {
  objectType?: 'Activity'
  id: string
  definition?: ActivityDefinition
}

export interface StatementRef {
  objectType: 'StatementRef'
  id: string
}

export interface Score {
  scaled?: number
  raw?: number
  min?: number
  max?: number
}

export interface Result {
  score?: Score
  success?: boolean
  completion?: boolean
  response?: string
  duration?: string
  extensions?: Extensions
}

export type ContextActivityKind = 'parent' | 'grouping' | 'category' | 'other'

export interface ContextAgent {
  objectType: 'contextAgent'
  agent: Agent
  relevantTypes?: string[]
}

export interface ContextGroup {
  objectType: 'contextGroup'
  group: Group
  relevantTypes?: string[]
}

export interface Context {
  registration?: string
  instructor?: Actor
  team?: Group
  contextActivities?: Partial<Record<ContextActivityKind, Activity | Activity[]>>
  contextAgents?: ContextAgent[]
  contextGroups?: ContextGroup[]
  revision?: string
  platform?: string
  language?: string
  statement?: StatementRef
  extensions?: Extensions
}

export interface Attachment {
  usageType: string
  display: LanguageMap
  description?: LanguageMap
  contentType: string
  length: number
  sha2: string
  fileUrl?: string
}

interface Shared {
  actor: Actor
  verb: Verb
  result?: Result
  context?: Context
  timestamp?: string
  attachments?: Attachment[]
}

export interface SubStatement extends Shared {
  objectType: 'SubStatement'
  object: Activity | Actor | StatementRef
}

export interface Statement extends Shared {
  id?: string
  object: Activity | Actor | StatementRef | SubStatement
  stored?: string
  authority?: Actor
  version?: string
}
