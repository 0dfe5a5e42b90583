import { Agent, request as send } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'
import type { Request } from './crowd.ts'

const { clients, request } = workerData as { clients: number; request: Request }
const { url, method, headers, body } = request
const agent = new Agent({ keepAlive: true, maxSockets: clients })
const statuses = new Set<number>()
let ends = false
parentPort!.once('message', () => (ends = true))

/** 0: without an answer. */
const statusOf = () =>
  new Promise<number>((resolve) => {
    const sent = send(url, { agent, method, headers }, (response) => {
      response
        .resume()
        .once('end', () => resolve(response.statusCode!))
        .once('error', () => resolve(0))
    })
    sent.once('error', () => resolve(0)).end(body)
  })

async function goOn(): Promise<void> {
  while (!ends) statuses.add(await statusOf())
}

const all = Promise.all(Array.from({ length: clients }, goOn))
parentPort!.postMessage('begun', [])
await all
agent.destroy()
parentPort!.postMessage([...statuses].sort(), [])
