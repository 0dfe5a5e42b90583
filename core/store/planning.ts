/**
 * How Postgres plans our statements. Each looks for its rows by an index, one look for each, so that it costs what its
 * answer costs; the texts leave the planner as little choice as SQL allows (docs/adr/0018). One choice remains: a
 * connection keeps the plan that it made while a table was empty, when all ways cost the same. So the ways that read a
 * table before they know how much of it is wanted are off. Postgres still takes them where there is no index.
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
}

/** As the option of a connection. */
export const optionsOf = (settings: Readonly<Record<string, string>>) =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
