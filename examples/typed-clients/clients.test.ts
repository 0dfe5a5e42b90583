import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasGrpcio, runWithGrpcio } from '../../test/support/grpcio.ts'
import { startSystem, tokens, type System } from '../../test/support/system.ts'

const here = import.meta.dirname
const root = resolve(here, '..', '..')
const run = promisify(execFile)

let system: System
beforeAll(async () => {
  system = await startSystem({ gateways: 0 })
})
afterAll(() => system.close())

/** The environment of a service that acts for a game of its own. */
async function environment(): Promise<Record<string, string>> {
  const { key } = await system.game()
  return {
    LRS_CORE_URL: `http://127.0.0.1:${system.cores[0]!.port}`,
    LRS_SERVICE_TOKEN: tokens.service,
    LRS_CREDENTIAL: key,
  }
}

const expected = 'stored 2\nfound ann won Chess 0.5\nfound ben won Chess 0.25\nfollowed cem won Chess 0.75\n'

test.each(['connect.ts', 'grpc-js.ts'])('%s stores, queries and follows', async (file) => {
  const env = { PATH: process.env['PATH'], ...(await environment()) }
  expect((await run(process.execPath, [join(here, file)], { cwd: root, timeout: 90_000, env })).stdout).toBe(expected)
})

test('store-stream.ts stores by one stream, and is told what is wrong with one request', async () => {
  const env = { PATH: process.env['PATH'], ...(await environment()) }
  const { stdout } = await run(process.execPath, [join(here, 'store-stream.ts')], { cwd: root, timeout: 90_000, env })
  expect(stdout).toMatch(/^stored 200\nrefused: statements\[0\]\.verb\.id .*IRI.*\n$/)
})

test.runIf(hasGrpcio('examples/typed-clients/grpcio.py'))(
  'grpcio.py stores, queries and follows, with modules made of the proto files alone',
  async () => {
    expect(await runWithGrpcio(join(here, 'grpcio.py'), await environment())).toBe(expected)
  },
)
