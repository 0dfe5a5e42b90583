/** How a part of the system ended, for people. */
export interface Exit {
  /** As "was ended by SIGKILL". */
  how: string
  /** Starting it again would end the same way: a wrong setting, a data folder of somebody else. */
  lasting: boolean
}

/** One life of a part of the system. */
export interface Run {
  /** Settles once it can serve; pending for ever if it ends before. */
  ready: Promise<void>
  exited: Promise<Exit>
  /** Ends it in order, within a bounded time. */
  stop(): Promise<void>
  /** Ends it at once. */
  kill(): void
}
