import { RosterChangeKind, RosterService } from '../../../gen/lrs/v1/rosters_pb.js'
import { method, service } from '../../process/methods/declaration.ts'
import { developer } from '../../process/methods/developer.ts'
import { byName } from '../../process/methods/enums.ts'
import { confirmRoster, readRoster, type ShownChanges } from '../command/rosters.ts'

const kinds = byName(RosterChangeKind)
const toMessage = ({ changes, ...all }: ShownChanges) => ({
  ...all,
  changes: changes.map((one) => ({ ...one, kind: kinds[one.kind] })),
})

/** Classes and pupils of a school from a OneRoster file. */
export const rosterService = service(RosterService, {
  readRoster: method(
    {
      right: 'owner',
      token: 'roster',
      audit: { action: 'school.read-roster', details: (_, read) => ({ faults: read?.faultCount }) },
    },
    async (core, request, context) => {
      const { changes, ...read } = await readRoster(core, await developer(core, context), request)
      return { ...read, changes: changes && toMessage(changes) }
    },
  ),
  confirmRoster: method(
    {
      right: 'owner',
      token: 'roster',
      audit: {
        action: 'school.confirm-roster',
        details: ({ leavers }, made) => ({ leavers, made: String(!made?.now) }),
      },
    },
    async (core, request, context) => {
      const { now } = await confirmRoster(core, await developer(core, context), request)
      return { now: now && toMessage(now) }
    },
  ),
})
