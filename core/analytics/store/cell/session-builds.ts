import type { Database } from '../../../process/database/database.ts'

/** The build that a session of the player has. */
export interface SessionBuild {
  readonly registration: string
  /** From 1 for each game; 0: not known. */
  readonly number: number
  /** Seconds since 1970. */
  readonly uploaded: number
}

const note = {
  name: 'session_build_note',
  text: `with named as (
      insert into tally_build (game, number, name, uploaded) values ($1, $3, '', to_timestamp($4))
      on conflict do nothing)
    insert into session_build (game, registration, build) values ($1, $2, $3) on conflict do nothing`,
}

/** Builds of sessions, for the answers: the sessions themselves are deleted after a day. */
export function sessionBuildStore({ run }: Pick<Database, 'run'>) {
  return {
    note: async (game: number, { registration, number, uploaded }: SessionBuild): Promise<void> => {
      if (number > 0) await run(note, [game, registration, number, uploaded])
    },
  }
}
