/** What is wrong with an input, where (a path such as `statements[3].actor.mbox`) and what was expected. */
export class Problem extends Error {
  readonly path: string
  readonly what: string
  /** Names the rule in links to the public pages, such as `packaging#symlink`; empty: none. */
  readonly rule: string
  /** What else is wrong, where all of a form was looked at. */
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
