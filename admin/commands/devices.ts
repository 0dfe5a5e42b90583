import { command } from '../command.ts'
import { gameIdOf } from '../name-game.ts'
import { table, time } from '../show.ts'

export const commands = {
  list: command({
    about: 'list installed copies of a game that are linked with learners, the last used first',
    takes: { '<game>': 'id or slug (the name in URLs)' },
    options: { '--learner <id>': 'of this learner only: the name of its account' },
    examples: ['devices list chess', 'devices list chess --learner 1f0e4c1e-7f56-4d5c-9a5e-6d2b8f3c7a10'],
    async run(core, { game, learner = '' }) {
      const json = await core.devices.listDevices({ gameId: await gameIdOf(core, game), learnerId: learner })
      const text = table(json.devices, 'No device is linked.', {
        device: ({ deviceId }) => deviceId,
        name: ({ name }) => name,
        learner: ({ learnerId }) => learnerId,
        called: ({ learnerName }) => learnerName,
        'last used (UTC)': ({ lastUsed }) => time(lastUsed),
      })
      return { json, text }
    },
  }),
  end: command({
    about: 'end an installed copy: its secret is refused, and its sessions end',
    takes: { '<game>': 'id or slug (the name in URLs)', '<device>': 'id, from devices list' },
    examples: ['devices end chess 5d4c2f9a-0d7e-4b57-8e1f-2a6c9b3d1e40'],
    async run(core, { game, device }) {
      await core.devices.endDevice({ gameId: await gameIdOf(core, game), deviceId: device })
      return { json: {}, text: 'The device is ended. It starts no sessions any more.' }
    },
  }),
}
