import type { Credential } from '../fill.ts'

/** What a load generator is told to do for one round. All are for `ms` milliseconds by `clients` at a time. */
export type Job = { clients: number; ms: number } & (PostJob | StoreJob | SendJob | QueryJob | WriteJob)

/** POST of `batch` new statements a time over HTTP. */
export interface PostJob {
  kind: 'post'
  port: number
  /** Name of the shape of the statements. */
  shape: string
  batch: number
  seed: number
  /** The game of all batches; without it, the game of the first statement of a batch. */
  game?: number
}

/** Stores `batch` new statements a time by gRPC on one connection. */
export interface StoreJob {
  kind: 'store'
  /** Of core. */
  port: number
  shape: string
  batch: number
  seed: number
  way: 'unary' | 'stream'
  form: 'json' | 'typed'
  /** The answering server knows no ids. */
  echo?: boolean
}

export interface Request {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
  /** Expected number of statements in the answer. */
  statements?: number
}

/** The same requests over and over; each answer has to be as expected. */
export interface SendJob {
  kind: 'send'
  port: number
  requests: Request[]
  expect: { status: number; body?: string; contains?: string }
  /** A new connection for each. */
  reconnect?: boolean
}

export interface Query {
  name: string
  text: string
  values: unknown[]
  /** Expected number of rows. A row without `stored` does not count: it holds only the latest place of the game. */
  rows?: number
}

/** The same queries over and over; each has to return its expected number of rows. */
export interface QueryJob {
  kind: 'query'
  url: string
  queries: Query[]
  /** Settings of the connections; default: those of core. */
  settings?: Settings
}

/** Names and values of settings of Postgres. */
export type Settings = Readonly<Record<string, string>>

/** New statements through `pg` alone, `batch` rows for each commit. */
export interface WriteJob {
  kind: 'write'
  url: string
  /** `function`: store_statements() without what core does before; `copy`: COPY into both tables; `insert`: INSERT of one. */
  way: 'function' | 'copy' | 'insert'
  batch: number
  shape: string
  seed: number
  /** One for each game of the shape. */
  credentials: readonly Credential[]
}

/** Follows the store with `since` until it is told to stop and has seen all; `ms` and `clients` do not count. */
export interface FollowJob {
  kind: 'follow'
  port: number
  authorization: string
  since: string
}

/** Fills a store over HTTP up to `total` statements. */
export interface GrowJob {
  kind: 'grow'
  port: number
  shape: string
  seed: number
  clients: number
  batch: number
  total: number
}

export interface Grown {
  /** Seconds that each tenth took. */
  tenths: number[]
  /** Ids that were acknowledged to the first game. */
  ids: string[]
}

/** Requests pages, one kind after the other, with one client until it is told to stop. */
export interface BrowseJob {
  kind: 'browse'
  port: number
  requests: Record<string, Request[]>
}

/** Number of requests and milliseconds, by kind of page. */
export type Browsed = Record<string, { count: number; p50: number; p99: number }>

export interface Followed {
  ids: string[]
  /** Milliseconds from `stored` to being seen. */
  lagP50: number
  lagP99: number
  inOrder: boolean
}
