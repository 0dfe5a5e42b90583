import { create } from '@bufbuild/protobuf'
import { FindLearnersResponseSchema } from '../../gen/lrs/v1/learners_pb.js'
import { command, type Values } from '../command.ts'
import type { CoreClient } from '../core-client.ts'
import { gameIdOf } from '../name-game.ts'
import { upToMillion } from '../option-values.ts'
import type { Session } from '../session.ts'
import { microTime, number, table } from '../show.ts'

/** A longer name is cut: one would make the column wide for all. `--json` has it whole. */
const nameLength = 40
const options = {
  '--game <game>': { about: 'id or slug of the game', required: true },
  '--sandbox': 'learners of its sandbox',
  '--teams': 'teams in place of people',
  '--limit <n>': { about: 'how many at most', parse: upToMillion, default: 50 },
} as const

export const findLearners = command({
  about: 'find learners of a game; "export" and "erase" take the agents that it prints',
  takes: { '<text>': 'beginnings of words of the name or account; upper and lower case are the same' },
  options,
  examples: ['learners find mia --game star-trail', 'learners find "mia sch" --game star-trail'],
  run: (core, { text, ...given }, session) => found(core, session, text, given),
})
export const listLearners = command({
  about: 'list learners of a game, the last seen first',
  options,
  examples: ['learners list --game star-trail', 'learners list --game star-trail --limit 500'],
  run: (core, given, session) => found(core, session, '', given),
})

async function found(
  core: CoreClient,
  session: Session,
  text: string,
  { game, sandbox = false, teams = false, limit }: Values<typeof options>,
) {
  const gameId = await gameIdOf(core, game)
  const all = create(FindLearnersResponseSchema, { complete: true })
  do {
    const wanted = Math.min(50, limit - all.learners.length)
    const page = await core.learners.findLearners({ gameId, sandbox, teams, text, after: all.next, limit: wanted })
    all.waiting.push(...page.waiting)
    all.learners.push(...page.learners)
    all.complete = page.complete
    all.next = page.next
  } while (all.next !== '' && all.learners.length < limit)
  if (all.next !== '') session.note(`Only the first ${number(all.learners.length)} are shown: --limit shows more.`)
  if (!all.complete) session.note('Statements are still being counted: run it again for all learners.')
  const shown = table([...all.waiting, ...all.learners], 'No learner is found.', {
    learner: ({ name }) => shortened(name),
    agent: ({ agent }) => agentText(agent),
    'last seen (UTC)': ({ lastSeen }) => microTime(lastSeen).slice(0, 16),
    sessions: ({ sessions }) => number(sessions),
    statements: ({ statements }) => number(statements),
  })
  return { json: all, text: shown }
}

const shortened = (name: string): string =>
  name.length > nameLength ? `${name.slice(0, nameLength - 1).replace(/[\ud800-\udbff]$/, '')}…` : name

/** As the other commands take it. @param json of an identifier */
function agentText(json: string): string {
  const { mbox, account } = JSON.parse(json) as { mbox?: string; account?: { homePage: string; name: string } }
  if (mbox !== undefined) return mbox.replace(/^mailto:/, '')
  return account !== undefined && !account.homePage.includes('|') ? `${account.homePage}|${account.name}` : json
}
