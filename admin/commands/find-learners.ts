import { create } from '@bufbuild/protobuf'
import { FindLearnersResponseSchema, type SeenLearner } from '../../gen/lrs/v1/learners_pb.js'
import { number } from '../amount.ts'
import { jsonOf } from '../json-of.ts'
import { gameIdOf } from '../name-game.ts'
import type { Session, Work } from '../session.ts'
import { microTime, table } from '../show.ts'

interface Options {
  readonly game: string
  readonly sandbox?: boolean
  readonly limit: number
}

/** A longer name is cut: one would make the column wide for all. `--json` has it whole. */
const nameLength = 40
const head = ['learner', 'agent', 'last seen (UTC)', 'sessions', 'statements']

export const findLearners: Work<Options> = (session, [text = ''], options) => found(session, text, options)
export const listLearners: Work<Options> = (session, _args, options) => found(session, '', options)

async function found(session: Session, text: string, { game, sandbox = false, limit }: Options) {
  const core = await session.connect()
  const gameId = await gameIdOf(core, game)
  const learners: SeenLearner[] = []
  const all = create(FindLearnersResponseSchema, { complete: true })
  let after = ''
  do {
    const wanted = Math.min(50, limit - learners.length)
    const page = await core.learners.findLearners({ gameId, sandbox, text, after, limit: wanted })
    all.waiting.push(...page.waiting)
    learners.push(...page.learners)
    all.complete = page.complete
    after = page.next
  } while (after !== '' && learners.length < limit)
  all.learners = learners
  all.next = after
  if (after !== '') session.note(`Only the first ${number(learners.length)} are shown: --limit shows more.`)
  if (!all.complete) session.note('Statements are still being counted: run it again for all learners.')
  const rows = [...all.waiting, ...learners].map(({ name, agent, lastSeen, sessions, statements }) => [
    name.length > nameLength ? `${name.slice(0, nameLength - 1).replace(/[\ud800-\udbff]$/, '')}…` : name,
    agentText(agent),
    microTime(lastSeen).slice(0, 16),
    number(sessions),
    number(statements),
  ])
  return { json: jsonOf(FindLearnersResponseSchema, all), text: table(head, rows, 'No learner is found.') }
}

/** As the other commands take it. @param json of an identifier */
function agentText(json: string): string {
  const { mbox, account } = JSON.parse(json) as { mbox?: string; account?: { homePage: string; name: string } }
  if (mbox !== undefined) return mbox.replace(/^mailto:/, '')
  return account !== undefined && !account.homePage.includes('|') ? `${account.homePage}|${account.name}` : json
}
