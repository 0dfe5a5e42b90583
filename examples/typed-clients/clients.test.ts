import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startSystem, tokens, type System } from '../../test/support/system.ts'

const here = import.meta.dirname
const root = resolve(here, '..', '..')
const run = promisify(execFile)

const python = (() => {
  const command = process.env['PYTHON'] ?? 'python3'
  try {
    execFileSync(command, ['-c', 'import grpc, grpc_tools'], { stdio: 'ignore' })
    return command
  } catch {
    process.stderr.write('\n!!! NO GRPCIO: examples/typed-clients/grpcio.py is NOT run. It takes: python3 -m pip install grpcio grpcio-tools\n\n')
    return undefined
  }
})()

const stubs = mkdtempSync(join(tmpdir(), 'lrs-stubs-'))
let system: System
beforeAll(async () => {
  system = await startSystem({ gateways: 0 })
})
afterAll(async () => {
  await system.close()
  rmSync(stubs, { recursive: true })
})

/** What the program prints, run as a service for a game of its own. */
async function outputOf(command: string, file: string, env: Record<string, string> = {}): Promise<string> {
  const { key } = await system.game()
  const { stdout } = await run(command, [join(here, file)], {
    cwd: root, timeout: 25_000,
    env: { PATH: process.env['PATH'], ...env, LRS_CORE_URL: `http://127.0.0.1:${system.cores[0]!.port}`, LRS_SERVICE_TOKEN: tokens.service, LRS_CREDENTIAL: key },
  })
  return stdout
}

const expected = 'stored 2\nfound ann won Chess 0.5\nfound ben won Chess 0.25\nfollowed cem won Chess 0.75\n'

test.each(['connect.ts', 'grpc-js.ts'])('%s stores, queries and follows', async (file) => {
  expect(await outputOf(process.execPath, file)).toBe(expected)
})

test.runIf(python)('grpcio.py stores, queries and follows, with modules made of the proto files alone', async () => {
  const out = [`--python_out=${stubs}`, `--grpc_python_out=${stubs}`]
  await run(python!, ['-m', 'grpc_tools.protoc', '-I', 'proto', ...out, 'lrs/v1/statements.proto', 'lrs/v1/xapi.proto', 'buf/validate/validate.proto'], { cwd: root })
  expect(await outputOf(python!, 'grpcio.py', { PYTHONPATH: stubs })).toBe(expected)
})
