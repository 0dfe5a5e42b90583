/** Postgres takes neither NUL nor half a surrogate pair. */
export const storable = (text: string, length: number): string =>
  text.slice(0, length).replaceAll('\0', '�').toWellFormed()
