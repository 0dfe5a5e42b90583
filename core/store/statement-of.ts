import { exactly } from './look.ts'

/** The statement of this id in this game, voided or not; both as SQL, which may not speak of a table `one`. */
export const statementOf = (game: string, id: string) =>
  `select one.* from statement one where ${exactly('one', { game, id })} limit 1`
