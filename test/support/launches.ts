import type { Launch } from '../../gen/lrs/v1/launches_pb.js'
import { addStudio, stageBuild, type Studio } from './studios.ts'
import { startSystem, tokens, type System, type SystemOptions } from './system.ts'
import { bearer, xapiClient } from './xapi.ts'

/** Puts a game with a build in front of learners. */
async function publish(system: System, studio: Studio) {
  const { gameId: id } = await studio.on().games.createGame({ name: 'Quiz' })
  await studio.on().games.updateGame({ gameId: id, name: 'Quiz', summary: 'Three levels', description: '' })
  const buildId = await stageBuild(system, id)
  await studio.on().games.submitForReview({ gameId: id })
  await system.admin.games.decideReview({ gameId: id, buildId, approved: true })
  const { slug } = (await studio.on().games.getGame({ gameId: id })).game!.summary!
  return { id, slug, buildId }
}

/** Two cores and gateways, two studios, and a published game of the first one. */
export async function startLaunches(options: SystemOptions = {}) {
  const system = await startSystem({ cores: 2, gateways: 2, rateLimitFactor: 1, ...options })
  const [fox, owl] = await Promise.all([addStudio(system, 'Blue Fox'), addStudio(system, 'Owl')])
  const game = await publish(system, fox)
  let ips = 0
  return {
    system,
    fox,
    owl,
    game,
    publish: (studio: Studio) => publish(system, studio),
    async sandbox(
      studio = fox,
      wanted: { gameId?: string; learnerId?: string; learnerName?: string; live?: boolean } = {},
      core = 0,
    ): Promise<Launch> {
      // ten a minute is a test of its own
      await system.database.sql(`delete from portal_window where bucket = 'sandbox'`)
      return (await studio.on(core).launches.openSandbox({ gameId: game.id, ...wanted })).launch!
    },
    play: (
      wanted: {
        learnerName?: string
        learnerToken?: string
        invitation?: string
        slug?: string
        consent?: string
      } = {},
      senderIp = `10.1.0.${++ips}`,
    ) =>
      system.connections[ips % system.connections.length]!.as(bearer(tokens.portal)).launches.startPlay({
        slug: game.slug,
        senderIp,
        ...wanted,
      }),
    /** An installed copy of the game that a learner has linked by its code. */
    async link(learner: { learnerName?: string; learnerToken?: string; invitation?: string } = { learnerName: 'Ann' }) {
      await fox.on().games.setPlayer({ gameId: game.id, player: { devices: true } })
      const { devices } = system.connections[0]!.as(bearer(tokens.portal))
      const asked = { slug: game.slug, senderIp: `10.2.0.${++ips}` }
      const { deviceCode, userCode } = await devices.askCode(asked)
      await devices.allowDevice({ userCode, learner: { ...asked, ...learner } })
      return devices.startOnDevice({ ...asked, deviceCode, deviceName: 'Tablet' })
    },
    xapi: (launch: Pick<Launch, 'token'>, gateway = 0) => xapiClient(system.urls[gateway]!, bearer(launch.token)),
  }
}

export type Launches = Awaited<ReturnType<typeof startLaunches>>

/** What a launch token says. */
export const payload = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())
