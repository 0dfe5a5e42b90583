import { spawn } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { ask, asJson, result, stage } from '../test/support/gateway.ts'

function start(env: Record<string, string>) {
  const child = spawn(process.execPath, ['gateway/main.ts'], {
    env: { ...process.env, LRS_SERVICE_TOKEN: 't'.repeat(16), GATEWAY_HOST: '127.0.0.1', ...env },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const listening = new Promise<void>((done) =>
    child.stdout.on('data', (chunk) => String(chunk).includes('listening') && done()),
  )
  let said = ''
  child.stderr.on('data', (chunk) => (said += chunk))
  const ended = new Promise<{ code: number | null; said: string }>((done) =>
    child.on('close', (code) => done({ code, said })),
  )
  return { child, listening, ended }
}

async function busyPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((done) => server.once('listening', done))
  return (server.address() as AddressInfo).port
}

test('a used port is named with its setting', async () => {
  const port = await busyPort()
  const { code, said } = await start({ GATEWAY_PORT: String(port) }).ended
  expect({ code, said }).toEqual({ code: 2, said: `Port ${port} is in use: stop what uses it, or set GATEWAY_PORT.\n` })
})

test('a wrong setting is one line', async () => {
  const { code, said } = await start({ LRS_DIALECT: 'x' }).ended
  expect(code).toBe(2)
  expect(said).toMatch(/^LRS_DIALECT .*\n$/)
})

test('SIGTERM ends it', async () => {
  const { child, listening, ended } = start({ GATEWAY_PORT: '0', CORE_RELAY_URL: 'http://127.0.0.1:1' })
  await listening
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ code: 0, said: '' })
})

test('closing finishes what is in flight and takes no more', async () => {
  const { port, core, close } = await stage(async () => {
    await new Promise((done) => setTimeout(done, 300))
    return result({ case: 'storeStatements', value: { ids: ['x'] } })
  })
  const open = ask(port, 'POST', '/xapi/statements', { headers: { ...asJson, Connection: 'keep-alive' }, body: '[]' })
  await expect.poll(() => core.requests.length).toBe(1)
  const closing = close()
  await expect(ask(port, 'GET', '/xapi/about')).rejects.toThrow()
  const heard = await open
  expect(heard.status).toBe(200)
  expect(heard.headers.connection).toBe('close')
  await closing
})
