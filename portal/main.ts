import { runProcess } from '../shared/process/run-process.ts'
import { createPortal } from './app.ts'
import { readConfig } from './config.ts'

await runProcess({
  name: 'portal',
  read: readConfig,
  start: createPortal,
  ports: ({ port }) => ({ PORTAL_PORT: port }),
})
