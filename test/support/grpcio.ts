import { execFile, execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const root = resolve(import.meta.dirname, '..', '..')
const run = promisify(execFile)
const command = process.env['PYTHON'] ?? 'python3'

/** Whether this machine has Python with grpcio; if not, one loud line says what is not run. */
export function hasGrpcio(what: string): boolean {
  try {
    execFileSync(command, ['-c', 'import grpc, grpc_tools'], { stdio: 'ignore' })
    return true
  } catch {
    process.stderr.write(
      `\n!!! NO GRPCIO: ${what} is NOT run. It takes: python3 -m pip install grpcio grpcio-tools\n\n`,
    )
    return false
  }
}

/** Runs a Python program with modules generated from the proto files only; returns its output. */
export async function runWithGrpcio(file: string, env: Record<string, string>): Promise<string> {
  const stubs = await mkdtemp(join(tmpdir(), 'lrs-stubs-'))
  try {
    const out = [`--python_out=${stubs}`, `--grpc_python_out=${stubs}`]
    await run(
      command,
      ['-m', 'grpc_tools.protoc', '-I', 'proto', ...out, ...globSync('**/*.proto', { cwd: join(root, 'proto') })],
      { cwd: root },
    )
    const options = {
      cwd: root,
      timeout: 50_000,
      maxBuffer: 64 * 1024 * 1024,
      env: { PATH: process.env['PATH'], PYTHONPATH: stubs, ...env },
    }
    return (await run(command, [file], options)).stdout
  } finally {
    await rm(stubs, { recursive: true })
  }
}
