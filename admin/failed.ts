/** 0 done, 1 refused or failed, 2 wrong usage or settings, 3 unreachable or overloaded: try again. */
export type ExitCode = 0 | 1 | 2 | 3

/** What a command could not do, in one line for people. */
export class Failed extends Error {
  override name = 'Failed'
  readonly exitCode: ExitCode
  constructor(message: string, exitCode: ExitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}
