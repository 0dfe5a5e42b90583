import type { Build } from '../../gen/lrs/v1/games_pb.js'
import { Failed } from '../failed.ts'
import { portalAddress } from '../send-upload.ts'
import { needPersonal } from '../need-personal.ts'
import type { Work } from '../session.ts'
import { buildName } from './games.ts'

/** Submits the beta for review. */
export const promoteBuild: Work<{ message?: string }> = async (session, [named], { message = '' }) => {
  needPersonal(session)
  const core = await session.connect()
  const { gameId, slug, beta } = await core.builds.listBuilds({ game: named! })
  if (!beta) throw new Failed(`${slug} has no beta build: "push <folder> ${slug} --channel beta" brings one.`)
  const { buildId, number } = beta
  await core.builds.promote({ gameId, buildId, message })
  return { json: { gameId, buildId, number }, text: `Submitted for review: ${buildName(beta)} of ${slug}.` }
}

/** Makes a replaced build live again. */
export const rollBackGame: Work<{ to?: string }> = async (session, [named], { to }) => {
  needPersonal(session)
  const core = await session.connect()
  const { gameId, slug, live, kept } = await core.builds.listBuilds({ game: named! })
  if (!live) throw new Failed(`${slug} is not public: there is nothing to roll back.`)
  const toBuildId = to === undefined ? '' : wanted(kept, to).buildId
  const { buildId, number } = await core.builds.rollBack({ gameId, fromBuildId: live.buildId, toBuildId })
  const build = kept.find((one) => one.buildId === buildId)
  const text = `${build ? buildName(build) : `build ${number}`} of ${slug} is live again. ${buildName(live)} is kept: "games rollback ${slug} --to ${live.number}" brings it back.`
  return { json: { gameId, buildId, number, replaced: live.buildId }, text: text[0]!.toUpperCase() + text.slice(1) }
}

/** Makes the link by which others play the beta, or ends it. */
export const setBetaLink: Work<{ end?: boolean; portal?: string }> = async (session, [named], { end, portal }) => {
  needPersonal(session)
  const core = await session.connect()
  const { gameId, slug } = await core.builds.listBuilds({ game: named! })
  const { code } = await core.builds.setBetaLink({ gameId, on: !end })
  if (end) return { json: { gameId, link: null }, text: `Others cannot play the beta of ${slug} any more.` }
  const at = portalAddress(session, portal)
  const link = at === undefined ? `/beta/${code}` : new URL(`/beta/${code}`, at).href
  const where = at === undefined ? ' of the portal' : ''
  return {
    json: { gameId, link },
    text: `People with this link play the beta of ${slug}. It is shown only once:\n${link}${where}`,
  }
}

/** A kept build by its number, its version, or the beginning of its id. @throws Failed */
function wanted(kept: readonly Build[], to: string): Build {
  const found =
    kept.find(({ number }) => String(number) === to.replace(/^#/, '')) ??
    kept.find(({ version }) => version === to) ??
    kept.find(({ buildId }) => to.length >= 8 && buildId.startsWith(to))
  if (found) return found
  const there = kept.map(buildName).join(', ')
  throw new Failed(`No kept build is ${JSON.stringify(to)}: ${there === '' ? 'none is kept' : `there are ${there}`}.`)
}
