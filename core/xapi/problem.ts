/** What is wrong with an input, where (a path such as `statements[3].actor.mbox`) and what was expected. */
export class Problem extends Error {
  readonly path: string
  readonly what: string
  /** Names the rule in links to the public pages, such as `packaging#symlink`; empty: none. */
  readonly rule: string

  constructor(path: string, what: string, rule = '') {
    super(path ? `${path}: ${what}` : what)
    this.name = 'Problem'
    this.path = path
    this.what = what
    this.rule = rule
  }
}
