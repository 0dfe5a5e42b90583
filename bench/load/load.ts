import { fork } from 'node:child_process'
import type { BrowseJob, Browsed, FollowJob, Followed, GrowJob, Grown, Job } from './job.ts'
import type { Round } from './measure.ts'

/** A process that makes load. */
export interface Load {
  run(job: Job): Promise<Round>
  /** Posts and answers the ids of what was acknowledged too. */
  post(job: Job & { kind: 'post' }): Promise<Round & { ids: string[] }>
  /** Follows until `stop` is called. */
  follow(job: FollowJob): { stop(): void; followed: Promise<Followed> }
  grow(job: GrowJob): Promise<Grown>
  /** Asks for pages until `stop` is called. */
  browse(job: BrowseJob): { stop(): void; browsed: Promise<Browsed> }
  close(): void
}

export function startLoad(): Load {
  const child = fork(new URL('worker.ts', import.meta.url), { execArgv: [], serialization: 'advanced' })
  let waiting: { resolve(result: never): void; reject(error: Error): void } | undefined
  child.on('message', ({ result, error }: { result?: never; error?: string }) => {
    const one = waiting
    waiting = undefined
    if (error === undefined) one?.resolve(result as never)
    else one?.reject(new Error(error))
  })
  child.on('exit', (code, signal) => waiting?.reject(new Error(`the load generator ended: ${signal ?? code}`)))

  const ask = <T>(job: Job | FollowJob | GrowJob | BrowseJob): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      waiting = { resolve, reject }
      child.send(job)
    })
  return {
    run: (job) => ask(job),
    post: (job) => ask(job),
    follow: (job) => ({ followed: ask<Followed>(job), stop: () => void child.send('stop') }),
    grow: (job) => ask(job),
    browse: (job) => ({ browsed: ask<Browsed>(job), stop: () => void child.send('stop') }),
    close: () => void child.kill(),
  }
}
