// The gateway answering a POST of one statement by itself, without core.
import { createGateway } from '../../gateway/app.ts'
import { readConfig } from '../../gateway/config.ts'
import type { Relay } from '../../gateway/core-connection/relay.ts'
import { stopWithParent } from '../../shared/process/with-parent.ts'

const idStart = '{"id":"'.length
const relay = {
  // it is also asked who calls
  call: async (name: string, { json }: { json: Buffer }) =>
    name === 'identify' ? {} : { ids: [json.toString('latin1', idStart, idStart + 36)] },
  refuses: () => undefined,
  trouble: async () => undefined,
  close: () => {},
} as unknown as Relay

const gateway = createGateway(readConfig(process.env), { relay })
await gateway.listen()
stopWithParent(gateway.close)
process.once('SIGTERM', () => void gateway.close().finally(() => process.exit(0)))
