import { runProcess } from '../shared/process/run-process.ts'
import { createPlayer } from './app.ts'
import { readConfig } from './config.ts'

await runProcess({
  name: 'player',
  read: readConfig,
  start: createPlayer,
  ports: ({ port }) => ({ PLAYER_PORT: port }),
})
