import { runProcess } from '../shared/process/run-process.ts'
import { createGateway } from './app.ts'
import { readConfig } from './config.ts'

await runProcess({
  name: 'gateway',
  read: readConfig,
  start: async (config) => {
    const gateway = createGateway(config)
    await gateway.listen()
    return gateway
  },
  ports: ({ port, ownPort }) => ({ GATEWAY_PORT: port, ...(ownPort && { GATEWAY_OWN_PORT: ownPort }) }),
})
