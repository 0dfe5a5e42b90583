import type { Database } from '../../process/database/database.ts'

/** How times become days in a game, and by what else its charts can be narrowed. */
export interface GameClock {
  /** Null: the game has no studio. */
  readonly studio: number | null
  readonly zone: string
  /** Milliseconds; null: it is not set. */
  readonly start: number | null
  /** Null: nothing. */
  readonly cut: string | null
}

const own = 'g.uuid = $1 and g.sandbox_of is null and g.deleted is null and ($2::int is null or g.studio = $2)'
const get = {
  name: 'clock_get',
  text: `select g.studio, coalesce(s.zone, 'UTC') as zone, g.start::float8 as start, g.cut
    from game g left join studio s on s.id = g.studio where ${own}`,
}
const setZone = { name: 'clock_set_zone', text: 'update studio set zone = $2 where id = $1' }
// the trigger of games tells cells of it
const tell = { name: 'clock_tell', text: 'update game set start = start where studio = $1' }
const setStart = { name: 'clock_set_start', text: 'update game set start = $2 where uuid = $1' }

const setCut = { name: 'clock_set_cut', text: 'update game set cut = $2 where uuid = $1' }

/** Zones of studios, starts and cuts of games, in the directory. */
export function clockStore({ run, transaction }: Pick<Database, 'run' | 'transaction'>) {
  return {
    /** Undefined: there is no such game. @param studio must own it; undefined: any game */
    get: async (gameId: string, studio: number | undefined): Promise<GameClock | undefined> =>
      (await run<GameClock & Record<string, unknown>>(get, [gameId, studio ?? null]))[0],
    setZone: (studio: number, zone: string): Promise<void> =>
      transaction(async (run) => {
        await run(setZone, [studio, zone])
        await run(tell, [studio])
      }),
    setStart: async (gameId: string, start: number | null): Promise<void> =>
      void (await run(setStart, [gameId, start])),
    setCut: async (gameId: string, cut: string | null): Promise<void> => void (await run(setCut, [gameId, cut])),
  }
}
