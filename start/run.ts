/** How a part of the system ended, for people. */
export interface Exit {
  /** Such as "was ended by SIGKILL". */
  how: string
  /** A restart would fail again: a wrong setting, or a data folder of another user. */
  lasting: boolean
}

/** One life of a part of the system. */
export interface Run {
  /** Settles once it can serve; never, if it ends before. */
  ready: Promise<void>
  exited: Promise<Exit>
  /** Ends it in order, within a bounded time. */
  stop(): Promise<void>
  /** Ends it at once. */
  kill(): void
}
