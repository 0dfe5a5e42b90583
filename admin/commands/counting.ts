import { command } from '../command.ts'
import { Failed } from '../failed.ts'
import { gameIdOf } from '../name-game.ts'
import { list, time } from '../show.ts'

/** One of the commands for games. */
export const counting = command({
  about: 'show or set how times of statements become days of counts, and by what else charts can be filtered',
  takes: { '<game>': 'id or slug (the name in URLs)' },
  options: {
    '--zone <zone>': 'time zone of all games of the studio, such as Europe/Berlin',
    '--cut <what>': 'language, platform, or the IRI of an extension; or "none"',
    '--start <day>': 'first day (UTC) of the game; earlier timestamps count at arrival; or "none"',
  },
  examples: ['games counting chess', 'games counting chess --zone Pacific/Auckland'],
  async run(core, { game, zone, start, cut }) {
    const gameId = await gameIdOf(core, game)
    const from = start === undefined ? undefined : secondsOf(start)
    if (zone !== undefined) await core.counting.setZone({ gameId, zone })
    if (from !== undefined) await core.counting.setStart({ gameId, start: from })
    if (cut !== undefined) await core.counting.setCut({ gameId, cut: cut === 'none' ? '' : cut })
    const json = await core.counting.getCounting({ gameId })
    const text = list({
      'zone of the studio': json.zone,
      'timestamps count from': json.start === 0n ? '2000-01-01 00:00 (not set)' : time(json.start),
      'charts can be filtered by': json.cut || 'builds only',
    })
    const isSame = zone === undefined && start === undefined && cut === undefined
    return {
      json,
      text: isSame ? text : `${text}\nAll is counted again; charts show the counts of before until then.`,
    }
  },
})

/** @throws Failed */
function secondsOf(day: string): bigint {
  if (day === 'none') return 0n
  const at = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(day) : Number.NaN
  if (Number.isNaN(at)) throw new Failed(`${JSON.stringify(day)} is not a day such as 2026-11-01, or "none".`, 2)
  return BigInt(at / 1000)
}
