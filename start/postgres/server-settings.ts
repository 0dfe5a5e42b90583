import { totalmem } from 'node:os'

export type ServerSettings = Record<string, string | number>

/** Settings of Postgres for a store on a small machine; the others keep their defaults. */
const common: ServerSettings = {
  listen_addresses: '',
  port: 5432,
  unix_socket_permissions: '0700',
  max_connections: 60,
  huge_pages: 'off',
  jit: 'off',
  checkpoint_timeout: '15min',
  max_wal_size: '2GB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
  log_destination: 'stderr',
  logging_collector: 'off',
  log_line_prefix: '%m [%p] ',
  log_checkpoints: 'off',
  // no rows of learners in the log
  log_error_verbosity: 'terse',
}

/** An eighth of the machine's memory, so that pages that are read often need no system call. */
const sharedMb = Math.min(
  2048,
  Math.max(128, Math.floor(Math.min(totalmem(), process.constrainedMemory() || Infinity) / 8 / 2 ** 20)),
)

/** An acknowledged statement survives a power cut. */
const durable: ServerSettings = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: `${sharedMb}MB`,
}

/** For data that a test throws away. */
const fleeting: ServerSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '128MB',
}

/** Arguments for `postgres`; `own` wins. */
export function serverArguments(isDurable: boolean, own: ServerSettings): string[] {
  const all = { ...common, ...(isDurable ? durable : fleeting), ...own }
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}
