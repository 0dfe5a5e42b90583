export type ServerSettings = Record<string, string | number>

/** What Postgres is told for a store on a small machine; what is not here is as Postgres has it. */
const common: ServerSettings = {
  listen_addresses: '',
  port: 5432,
  unix_socket_permissions: '0700',
  max_connections: 60,
  shared_buffers: '128MB',
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

/** An acknowledged statement survives a power cut. */
const durable: ServerSettings = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' }

/** For data that a test throws away. */
const fleeting: ServerSettings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

/** Arguments for `postgres`; `own` wins. */
export function serverArguments(isDurable: boolean, own: ServerSettings): string[] {
  const all = { ...common, ...(isDurable ? durable : fleeting), ...own }
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}
