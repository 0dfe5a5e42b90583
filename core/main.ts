import { runProcess } from '../shared/process/run-process.ts'
import { readConfig } from './process/config/config.ts'
import { createCore } from './core.ts'

await runProcess({
  name: 'core',
  read: readConfig,
  start: createCore,
  ports: ({ port, relayPort }) => ({ CORE_PORT: port, CORE_RELAY_PORT: relayPort }),
})
