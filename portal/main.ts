import { readOrExit } from '../start/settings.ts'
import { stopWithParent } from '../start/with-parent.ts'
import { createPortal } from './app.ts'
import { readConfig } from './config.ts'

const config = readOrExit(readConfig)
const portal = await createPortal(config).catch((error: NodeJS.ErrnoException) => {
  const inUse = error.code === 'EADDRINUSE'
  process.stderr.write(inUse ? `Port ${config.port} is in use: stop what uses it, or set PORTAL_PORT.\n` : `portal cannot start: ${error.message}\n`)
  process.exit(inUse ? 2 : 1)
})

let closing: Promise<void> | undefined
const close = () => (closing ??= portal.close())
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void close().then(() => process.exit(0)))
stopWithParent(close)
