import { z } from 'zod'
import { AnswerPart } from '../../gen/lrs/v1/answers_pb.js'
import { AssistantTool } from '../../gen/lrs/v1/assistants_pb.js'
import { GameState } from '../../gen/lrs/v1/games_pb.js'
import { assistants as limits, guideSearch } from '../../shared/limits.ts'
import { library } from '../guides/library.ts'
import { daysOf } from '../pages/parts/data-filters.ts'
import type { CoreClient } from '../web/core-client.ts'
import { days, readCharts, viewOf, zoneOf } from './read-charts.ts'

/** What an assistant may ask. It only reads, and no answer has the name of a learner. */
export interface Tool<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly tool: AssistantTool
  readonly title: string
  readonly description: string
  readonly input: Shape
  /** @throws Failures of core, PageFailure */
  run(core: CoreClient, input: z.infer<z.ZodObject<Shape>>): Promise<object>
}

const tool = <Shape extends z.ZodRawShape>(of: Tool<Shape>): Tool => of

const gameId = z.uuid().describe('UUID of the game, from list_games')
const build = z.int().min(0).max(999_999_999).optional().describe('Number of a build, from an earlier answer')

export const tools: readonly Tool[] = [
  tool({
    tool: AssistantTool.LIST_GAMES,
    title: 'Games',
    description: 'Lists the games of the studio: UUID, name, state. Call it first.',
    input: {},
    async run(core) {
      const { games } = await core.games.listGames({})
      const rows = games.slice(0, limits.rows).map(({ gameId, slug, name, state }) => ({
        gameId,
        slug,
        name,
        state: (GameState[state] ?? '').toLowerCase(),
      }))
      return { games: rows, more: games.length - rows.length }
    },
  }),
  tool({
    tool: AssistantTool.READ_CHARTS,
    title: 'Charts of a game',
    description:
      'Reads the charts of a page of a game. Each has its question, its answer in words, the rule by which it counts, ' +
      'and its table. Page activity: players, statements, verbs. Page progress: how far players get, where they leave, ' +
      'attempts, times and scores of levels. Page return: who comes back, how long sessions take. Page elements: what ' +
      'players do with the things of the game.',
    input: { gameId, page: z.enum(['activity', 'progress', 'return', 'elements']), build, ...days },
    run: (core, { page, ...of }) => readCharts(core, `data/${page}`, of),
  }),
  tool({
    tool: AssistantTool.COMPARE_BUILDS,
    title: 'Two builds compared',
    description:
      'Says level by level whether more players pass at their first try with one build than with another, with the ' +
      'interval of each difference. Without builds it compares the newest one that was played with the one before.',
    input: { gameId, build, compare: build, ...days },
    run: (core, of) => readCharts(core, 'data/compare', of),
  }),
  tool({
    tool: AssistantTool.WHO_NEEDS_HELP,
    title: 'Learners who need help',
    description:
      'Lists learners with at least 3 attempts at a level of which none is completed. It has the pseudonyms of exported ' +
      'files, and no names.',
    input: { gameId },
    async run(core, { gameId }) {
      const { learners, more, complete } = await core.assistants.listHelpNeeded({ gameId })
      const rows = learners.map(({ pseudonym, level, activityId, attempts, lastSeen }) => ({
        pseudonym,
        level: level || activityId,
        attempts,
        lastSeen: timeOf(lastSeen / 1_000_000n),
      }))
      return { learners: rows, more, complete }
    },
  }),
  tool({
    tool: AssistantTool.REFUSED_REQUESTS,
    title: 'Refused requests',
    description:
      'Lists what the service refused, the most frequent first: reason, HTTP status, request, place in the input, text, ' +
      'count. What a text quotes from the request is left out.',
    input: { gameId, ...days },
    async run(core, { gameId, ...of }) {
      const range = daysOf(viewOf(of, await zoneOf(core, gameId)))
      const parts = [AnswerPart.REJECTIONS]
      const { rejections, complete } = await core.answers.getAnswers({ gameId, ...range, parts })
      const rows = (rejections?.rejections ?? []).map(
        ({ build, reason, status, request, path, message, count, last }) => ({
          build,
          reason,
          status,
          request,
          path,
          text: withoutQuotes(message),
          count,
          last: timeOf(last),
        }),
      )
      return { days: range, count: rejections?.count ?? 0, requests: rows, complete }
    },
  }),
  tool({
    tool: AssistantTool.SEARCH_DOCS,
    title: 'Documentation',
    description: 'Searches the guides of this service. Each result has its title, its address and a part of its text.',
    input: { query: z.string().min(1).max(guideSearch.characters) },
    async run(_core, { query }) {
      const found = (await library()).search.find(query).slice(0, limits.guides)
      const rows = found.map(({ href, title, heading, excerpt }) => ({
        address: href,
        title: title.join(''),
        heading: heading?.join(''),
        text: excerpt.join(''),
      }))
      return { results: rows }
    },
  }),
]

const timeOf = (seconds: bigint): string => new Date(Number(seconds) * 1000).toISOString()

/** A refusal quotes what a game sent, where a name may stand. */
const withoutQuotes = (text: string): string => text.replaceAll(/“[^”]*(?:”|$)|"[^"]*(?:"|$)|`[^`]*(?:`|$)/g, '“…”')
