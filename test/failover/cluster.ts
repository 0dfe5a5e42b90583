import { existsSync, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Two servers of one database, of which one takes writes. */
export interface Cluster {
  /** Of both, for core. */
  readonly url: string
  /** SIGKILL to the primary; resolves when nothing more is left to do by hand. */
  killPrimary(): Promise<void>
  /** Address of the one that takes writes now. */
  primary(): Promise<string>
  close(): Promise<void>
}

const path = (process.env['PATH'] ?? '').split(delimiter)
const ofPostgres = ['initdb', 'pg_basebackup', 'pg_controldata', 'pg_ctl', 'pg_isready', 'pg_rewind', 'postgres']

/** Where a program of the PATH is; undefined: it is not installed. */
export const programOf = (name: string): string | undefined =>
  path.map((folder) => join(folder, name)).find((file) => existsSync(file))

/** The folder with all programs of a Postgres: one of the PATH, or Debian's newest. */
export const postgresPrograms = (): string | undefined =>
  [...path, ...globSync('/usr/lib/postgresql/*/bin').toSorted().toReversed()].find((folder) =>
    ofPostgres.every((name) => existsSync(join(folder, name))),
  )
