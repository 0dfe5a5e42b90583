import { readOrExit } from '../start/settings.ts'
import { stopWithParent } from '../start/with-parent.ts'
import { readConfig } from './config.ts'
import { createCore } from './core.ts'

const config = readOrExit(readConfig)
const core = await createCore(config).catch((error: NodeJS.ErrnoException & { port?: number }) => {
  const setting = error.port === config.relayPort ? 'CORE_RELAY_PORT' : 'CORE_PORT'
  const line = error.code === 'EADDRINUSE' ? `Port ${error.port} is in use: stop what uses it, or set ${setting}.` : `core cannot start: ${error.message}`
  process.stderr.write(`${line}\n`)
  process.exit(error.code === 'EADDRINUSE' ? 2 : 1)
})

let closing: Promise<void> | undefined
const close = () => (closing ??= core.close())
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void close().then(() => process.exit(0)))
stopWithParent(close)
