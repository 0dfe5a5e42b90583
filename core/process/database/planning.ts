/**
 * Planner settings of every connection. The SQL leaves the planner little choice (docs/adr/0018). But a connection
 * keeps the plan that it made while a table was empty, when all plans cost the same. So these settings turn off the
 * plans that read many rows before a limit applies. Postgres still uses them where no index fits.
 */
export const planning: Readonly<Record<string, string>> = {
  // planning takes longer than most of our queries run
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
  // Memoize allocates a cache for the estimated number of rows before it reads the first one
  enable_memoize: 'off',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_sort: 'off',
  enable_incremental_sort: 'off',
}

/** Settings that the SQL relies on, whatever the server, the database or the role has. */
export const reliedOn: Readonly<Record<string, string>> = {
  // a writer that waited for the lock of the order sees what was committed meanwhile
  default_transaction_isolation: 'read committed',
  DateStyle: 'ISO',
  // with less than 1, times lose their microseconds
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  // connections of the pool are idle at night
  idle_session_timeout: '0',
}

/** Settings as the `options` of a connection. */
export const optionsOf = (settings: Readonly<Record<string, string>>) =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
