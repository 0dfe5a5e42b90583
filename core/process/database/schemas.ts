/** The schema with the tables of a cell; that of the first has the tables that all cells share, too. */
export const schemaOf = (cell: number): string => (cell === 1 ? 'public' : `cell_${cell}`)

/** The search path of a connection that works for a cell. */
export const searchPathOf = (cell: number): string => (cell === 1 ? 'public' : `${schemaOf(cell)},public`)
