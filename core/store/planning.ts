/**
 * How Postgres plans our statements. All of them look for rows by an index, one look for each, so that they cost what
 * their answer costs; their texts leave the planner as little choice as SQL allows (docs/adr/0018). What remains: a
 * connection keeps a plan that it made while a table was empty, and an UPDATE or DELETE with a join cannot be fenced. So
 * what reads a table before it knows how much of it is wanted is off; Postgres still does it where there is no index.
 */
export const planning: Readonly<Record<string, string>> = {
  // planning takes longer than most of our statements
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
  // a cache for as many rows as a value is believed to have is made before the first one is read
  enable_memoize: 'off',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_sort: 'off',
  enable_incremental_sort: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
}

/** As the option of a connection. */
export const optionsOf = (settings: Readonly<Record<string, string>>) =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
