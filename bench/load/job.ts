import type { Credential } from '../fill.ts'

/** What a load generator is told to do for one round. All are for `ms` milliseconds by `clients` at a time. */
export type Job = { clients: number; ms: number } & (PostJob | SendJob | QueryJob | WriteJob)

/** POST of `batch` new statements a time over HTTP. */
export interface PostJob {
  kind: 'post'
  port: number
  authorization: string
  batch: number
  seed: number
}

export interface Request {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
}

/** The same requests over and over; each answer has to be as expected. */
export interface SendJob {
  kind: 'send'
  port: number
  requests: Request[]
  expect: { status: number; statements?: number; body?: string; contains?: string }
  /** A new connection for each. */
  reconnect?: boolean
}

export interface Query {
  name: string
  text: string
  values: unknown[]
}

/** The same queries over and over; each has to give so many rows. */
export interface QueryJob {
  kind: 'query'
  url: string
  queries: Query[]
  rows: number
}

/** New statements through `pg` alone, `batch` rows for each commit. */
export interface WriteJob {
  kind: 'write'
  url: string
  /** `function`: store_statements() without what core does before; `copy`: COPY into both tables; `insert`: INSERT of one. */
  way: 'function' | 'copy' | 'insert'
  batch: number
  seed: number
  credential: Credential
}

/** Follows the store with `since` until it is told to stop and has seen all; `ms` and `clients` do not count. */
export interface FollowJob {
  kind: 'follow'
  port: number
  authorization: string
  since: string
}

export interface Followed {
  ids: string[]
  /** Milliseconds from `stored` to being seen. */
  lagP50: number
  lagP99: number
  inOrder: boolean
}
