import type { ReportGameRequest } from '../../../gen/lrs/v1/games_pb.js'
import { reportReasons, reports as limits } from '../../../shared/catalogue.ts'
import type { Core } from '../../context.ts'
import type { Fields } from '../../process/methods/answer.ts'
import { Problem } from '../../process/problem.ts'
import { Refusal } from '../../process/refusal.ts'
import { checkAll } from '../../process/rules/check-all.ts'
import { paragraphs } from '../../process/rules/text.ts'
import { say } from '../../../shared/say.ts'

/** Keeps what a visitor reports of a published game for the operator. @throws Problem, Refusal */
export async function reportGame(
  { store }: Pick<Core, 'store'>,
  { slug, senderIp, ...given }: Fields<ReportGameRequest>,
): Promise<void> {
  const [reason, text] = checkAll(
    () => reasonOf(given.reason),
    () => paragraphs(given.text, 'text', { max: limits.text }),
  )
  await store.portalLimits.requireFrom('report', senderIp)
  const game = await store.games.findPublished(slug)
  if (game === undefined) throw new Refusal('not-found', 'There is no such game, or it is not public any more.')
  await store.portalLimits.requireFrom('reportOfGame', senderIp, `${game} `)
  if (await store.reports.add(game, reason, text)) return
  throw new Refusal('rate-limited', say`This game has ${limits.ofGame} open reports already. The operator has these.`, {
    path: 'reports',
  })
}

function reasonOf(given: string): string {
  if (reportReasons.some((reason) => reason === given)) return given
  throw new Problem('reason', 'must be chosen')
}

/** @throws Problem, Refusal 'not-found' */
export async function closeReport(
  { store }: Pick<Core, 'store'>,
  { reportId, note }: { readonly reportId: string; readonly note: string },
): Promise<void> {
  if (await store.reports.close(reportId, paragraphs(note, 'note', { max: limits.note }))) return
  throw new Refusal('not-found', 'There is no such report, or it is closed already.')
}
