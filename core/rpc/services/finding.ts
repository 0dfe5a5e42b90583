/** The result of one check. */
export interface Finding {
  readonly name: string
  readonly severity: 'ok' | 'warning' | 'error'
  readonly message: string
  /** What the admin should do; empty: nothing. */
  readonly advice: string
}
