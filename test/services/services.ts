import { startSystem } from '../support/system.ts'

/** A core as the services of others see it. */
export async function startServices() {
  const system = await startSystem()
  const baseUrl = `http://127.0.0.1:${system.cores[0]!.port}`
  return {
    system,
    baseUrl,
    game: await system.game(),
    /** POST as curl would, over HTTP/1.1. */
    async post(method: string, body: unknown, headers: Record<string, string> = {}) {
      const response = await fetch(`${baseUrl}/lrs.v1.${method}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body),
      })
      const text = await response.text()
      return { status: response.status, json: text === '' ? undefined : JSON.parse(text) }
    },
  }
}

export type Services = Awaited<ReturnType<typeof startServices>>
