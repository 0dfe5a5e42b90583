/**
 * Which statements: what queries, exports, forwards and webhooks ask for, as the messages of the contract and stored
 * jobs have it. What is empty does not filter.
 */
export interface StatementFilter {
  /** JSON of an Agent or identified Group. */
  readonly agent: string
  readonly verb: string
  readonly activity: string
  readonly registration: string
  /** Find the agent, the activity anywhere in a statement. */
  readonly relatedAgents: boolean
  readonly relatedActivities: boolean
  /** ISO 8601: stored strictly after this, stored at or before this. */
  readonly since: string
  readonly until: string
}
