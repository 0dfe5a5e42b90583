/** What a column holds; times are microseconds since 1970. */
export type ColumnType = 'text' | 'time' | 'number' | 'boolean' | 'json'

export type Cell = string | number | bigint | boolean | undefined

export interface Column {
  readonly name: string
  readonly type: ColumnType
}

/** The columns of every export, in their order; docs/analytics.md says what each is. */
export const columns = [
  { name: 'id', type: 'text' },
  { name: 'stored', type: 'time' },
  { name: 'timestamp', type: 'time' },
  { name: 'learner_name', type: 'text' },
  { name: 'learner', type: 'text' },
  { name: 'verb', type: 'text' },
  { name: 'verb_iri', type: 'text' },
  { name: 'object_type', type: 'text' },
  { name: 'activity', type: 'text' },
  { name: 'activity_iri', type: 'text' },
  { name: 'activity_type', type: 'text' },
  { name: 'success', type: 'boolean' },
  { name: 'completion', type: 'boolean' },
  { name: 'score_scaled', type: 'number' },
  { name: 'score_raw', type: 'number' },
  { name: 'score_min', type: 'number' },
  { name: 'score_max', type: 'number' },
  { name: 'duration_seconds', type: 'number' },
  { name: 'response', type: 'text' },
  { name: 'registration', type: 'text' },
  { name: 'build', type: 'text' },
] as const satisfies readonly Column[]

export type ColumnName = (typeof columns)[number]['name']

/** The values of the columns of one statement; what a statement does not say is undefined. */
export type Row = { readonly [name in ColumnName]: Cell }

/** The columns with those of the chosen extensions, which are called by their IRIs. */
export const columnsWith = (extensions: readonly string[]): Column[] => [
  ...columns,
  ...extensions.map((name) => ({ name, type: 'json' as const })),
]
