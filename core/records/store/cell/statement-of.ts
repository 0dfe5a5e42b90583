import { exactly } from '../../../process/database/look.ts'

/** Query for the statement with this id in this game, voided or not. Both are SQL and must not use the alias `one`. */
export const statementOf = (game: string, id: string) =>
  `select one.* from statement one where ${exactly('one', { game, id })} limit 1`
