import { readOrExit } from '../start/settings.ts'
import { stopWithParent } from '../start/with-parent.ts'
import { createGateway } from './app.ts'
import { readConfig } from './config.ts'

const config = readOrExit(readConfig)
const gateway = createGateway(config)

const stop = (): void => void gateway.close().then(() => process.exit(0))
process.once('SIGTERM', stop).once('SIGINT', stop)
stopWithParent(gateway.close)

try {
  await gateway.listen()
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
  process.stderr.write(`Port ${config.port} is in use: stop what uses it, or set GATEWAY_PORT.\n`)
  process.exit(2)
}
