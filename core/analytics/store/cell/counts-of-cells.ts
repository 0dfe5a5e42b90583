import { countsOver } from './counts.ts'
import type { FormerLearners } from './former-learners.ts'
import type { Days, Insights, PlayersOfDays } from './insight-counts.ts'
import { refusedOf, withRefusals } from './refused.ts'
import { copyOf } from '../../../records/store/cell/copies.ts'
import type { EachCell } from '../../../records/cells/each-cell.ts'
import type { Database } from '../../../process/database/database.ts'

type Counts = ReturnType<typeof countsOver>

/** What is counted of a game, on the server of its cell. */
export function countsOfCells({ run }: Pick<Database, 'run'>, eachCell: EachCell, former: FormerLearners) {
  const { shared, of, inReach, isBeside } = eachCell((database) => countsOver(database, former))
  /** Of a cell that knows what the studio has set: it may be on another server. */
  async function informed(game: number): Promise<Counts> {
    const counts = await of(game)
    const copy = (await isBeside(game)) ? await copyOf(run, game) : undefined
    if (copy && !copy.settling) await counts.tallies.learn(copy)
    return counts
  }

  return {
    refusals: shared.refusals,
    tallies: {
      begin: async (game: number) => (await informed(game)).tallies.begin(game),
      add: async (game: number) => (await informed(game)).tallies.add(game),
      fold: async (game: number) => (await of(game)).tallies.fold(game),
      /** Games whose charts were opened lately and lack statements. */
      behind: async () => (await inReach(({ tallies }) => tallies.behind())).flat(),
    },
    formerLearners: {
      forgetUnseen: async (...asked: Parameters<Counts['formerLearners']['forgetUnseen']>) =>
        (await of(asked[0])).formerLearners.forgetUnseen(...asked),
      forgetAll: async (game: number) => (await of(game)).formerLearners.forgetAll(game),
    },
    tallyNames: async (game: number, keys: readonly string[]) => (await of(game)).tallyNames(game, keys),
    insights: {
      async read(game: number, days: Days): Promise<Insights> {
        const counts = await (await of(game)).insights.read(game, days)
        return (await isBeside(game)) ? withRefusals(counts, await refusedOf(run, game, days)) : counts
      },
      async readPlayers(game: number, days: Days, before: Days): Promise<PlayersOfDays> {
        const counts = await (await of(game)).insights.readPlayers(game, days, before)
        return (await isBeside(game)) ? withRefusals(counts, await refusedOf(run, game, days)) : counts
      },
    },
    plays: {
      list: async (...asked: Parameters<Counts['plays']['list']>) => (await of(asked[0])).plays.list(...asked),
      players: async (...asked: Parameters<Counts['plays']['players']>) => (await of(asked[0])).plays.players(...asked),
      sessionPlays: async (...asked: Parameters<Counts['plays']['sessionPlays']>) =>
        (await of(asked[0])).plays.sessionPlays(...asked),
    },
    answers: {
      read: async (...asked: Parameters<Counts['answers']['read']>) => (await of(asked[0])).answers.read(...asked),
    },
    sessionBuilds: {
      note: async (...noted: Parameters<Counts['sessionBuilds']['note']>) =>
        (await of(noted[0])).sessionBuilds.note(...noted),
    },
    learnerResults: {
      newest: async (...asked: Parameters<Counts['learnerResults']['newest']>) =>
        (await of(asked[0])).learnerResults.newest(...asked),
    },
    /** Of the cell that the game is in. */
    learnersSeenAgain: {
      behind: async () => (await inReach(({ learnersSeen }) => learnersSeen.behind())).flat(),
      fold: async (game: number) => (await of(game)).learnersSeen.fold(game),
    },
    learnersSeen: async (game: number): Promise<Counts['learnersSeen']> => (await informed(game)).learnersSeen,
  }
}
