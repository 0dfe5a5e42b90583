import type { Build } from '../../gen/lrs/v1/games_pb.js'
import { buildName } from '../build-name.ts'
import { command } from '../command.ts'
import { Failed } from '../failed.ts'
import { needPersonal } from '../need-personal.ts'
import { portalAddress } from '../send-upload.ts'

const byGame = { '<game>': 'id or slug (the name in URLs)' }

export const promote = command({
  about: 'submit the beta build for review, without a second upload; needs a personal token',
  takes: byGame,
  options: { '--message <text>': 'for the reviewer' },
  examples: ['games promote chess --message "Played by the team for a week"'],
  async run({ builds }, { game, message = '' }, session) {
    needPersonal(session)
    const { gameId, slug, beta } = await builds.listBuilds({ game })
    if (!beta) throw new Failed(`${slug} has no beta build: "push <folder> ${slug} --channel beta" brings one.`)
    const { buildId, number } = beta
    await builds.promote({ gameId, buildId, message })
    return { json: { gameId, buildId, number }, text: `Submitted for review: ${buildName(beta)} of ${slug}.` }
  },
})

export const rollBack = command({
  about: 'make a replaced build live again, at once; needs a personal token with the scope games',
  takes: byGame,
  options: {
    '--to <build>': 'a kept build: its number, version, or the first 8 characters of its id (default: the last)',
  },
  examples: ['games rollback chess', 'games rollback chess --to v1.1'],
  async run({ builds }, { game, to }, session) {
    needPersonal(session)
    const { gameId, slug, live, kept } = await builds.listBuilds({ game })
    if (!live) throw new Failed(`${slug} is not public: there is nothing to roll back.`)
    const toBuildId = to === undefined ? '' : wanted(kept, to).buildId
    const { buildId, number } = await builds.rollBack({ gameId, fromBuildId: live.buildId, toBuildId })
    const build = kept.find((one) => one.buildId === buildId)
    const text = `${build ? buildName(build) : `build ${number}`} of ${slug} is live again. ${buildName(live)} is kept: "games rollback ${slug} --to ${live.number}" brings it back.`
    return { json: { gameId, buildId, number, replaced: live.buildId }, text: text[0]!.toUpperCase() + text.slice(1) }
  },
})

export const betaLink = command({
  about:
    'make the link by which people who are no members play the beta, in place of the one before; needs a personal ' +
    'token with the scope games',
  takes: byGame,
  options: {
    '--end': 'end the link and its sessions',
    '--portal <url>': 'address of the portal, to print the whole link (default: LRS_PORTAL_URL)',
  },
  examples: ['games beta-link chess', 'games beta-link chess --end'],
  async run({ builds }, { game, end, portal }, session) {
    needPersonal(session)
    const { gameId, slug } = await builds.listBuilds({ game })
    const { code } = await builds.setBetaLink({ gameId, on: !end })
    if (end) return { json: { gameId, link: null }, text: `Others cannot play the beta of ${slug} any more.` }
    const at = portalAddress(session, portal)
    const link = at === undefined ? `/beta/${code}` : new URL(`/beta/${code}`, at).href
    const where = at === undefined ? ' of the portal' : ''
    const text = `People with this link play the beta of ${slug}. It is shown only once:\n${link}${where}`
    return { json: { gameId, link }, text }
  },
})

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
