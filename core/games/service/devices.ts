import { DeviceService } from '../../../gen/lrs/v1/devices_pb.js'
import { ownLearner } from '../../accounts/access/own-learner.ts'
import { ofGame, reads, session } from '../../process/methods/audit-entries.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { studioOf } from '../../process/methods/developer.ts'
import { Refusal } from '../../process/refusal.ts'
import { allowDevice, askCode, denyDevice, getCode, makeLink } from '../command/link-devices.ts'
import { startOnDevice } from '../command/start-on-device.ts'
import { listDevices } from '../query/devices.ts'
import { messageOf } from './launches.ts'

function requireEnded(ended: boolean): void {
  if (!ended) throw new Refusal('not-found', 'There is no such device, or it has ended.')
}

/** Installed copies of games that are linked with learners. */
export const deviceService = service(DeviceService, {
  askCode: method({ right: 'public', audit: session }, askCode),
  getCode: method({ right: 'public', audit: reads }, getCode),
  allowDevice: method({ right: 'public', audit: session }, (core, { userCode, learner }) =>
    allowDevice(core, userCode, learner!),
  ),
  denyDevice: method({ right: 'public', audit: session }, denyDevice),
  makeLink: method({ right: 'public', audit: session }, makeLink),
  startOnDevice: method({ right: 'public', audit: session }, async (core, request) => {
    const started = await startOnDevice(core, request)
    return 'launch' in started ? { ...started, launch: messageOf(started.launch) } : started
  }),
  listOwnDevices: method({ right: 'public', audit: reads }, async (core, { proof }) => ({
    devices: await core.store.devices.ofLearner((await ownLearner(core, proof)).learner.learnerId),
  })),
  endOwnDevice: method({ right: 'public', audit: session }, async (core, { proof, deviceId }) => {
    const { learner } = await ownLearner(core, proof)
    requireEnded(await core.store.devices.end(deviceId, { learner: learner.learnerId }))
  }),
  listDevices: method({ right: 'analyst', token: 'read', audit: reads }, async (core, request, context) => ({
    devices: await listDevices(core.store, await studioOf(core, context), request),
  })),
  endDevice: method(
    {
      right: 'developer',
      audit: { ...ofGame('device.end'), details: ({ deviceId }) => ({ device: deviceId }) },
    },
    async (core, { gameId, deviceId }, context) => {
      const studio = await studioOf(core, context)
      requireEnded(await core.store.devices.end(deviceId, { game: gameId, studio }))
    },
  ),
})
