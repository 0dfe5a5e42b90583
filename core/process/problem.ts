/** A fault of an input: its path, such as `statements[3].actor.mbox`, and what was expected. */
export class Problem extends Error {
  readonly path: string
  readonly what: string
  /** Names the rule in links to the public pages, such as `packaging#symlink`; empty: none. */
  readonly rule: string
  /** Further faults of the same form. */
  readonly further: readonly Problem[]

  constructor(path: string, what: string, rule = '', further: readonly Problem[] = []) {
    super(path ? `${path}: ${what}` : what)
    this.name = 'Problem'
    this.path = path
    this.what = what
    this.rule = rule
    this.further = further
  }
}
