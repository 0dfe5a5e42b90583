// Runs command lines one after the other in one process: what they load is loaded once. See admin.ts.
import { programOf } from '../../admin/program.ts'
import { run } from '../../admin/run.ts'

export interface CommandLine {
  args: readonly string[]
  env: Record<string, string | undefined>
  cwd: string
}

const said = { out: [] as Buffer[], error: [] as Buffer[] }
/** As a pipe takes it. */
const taking =
  (chunks: Buffer[]) =>
  (chunk: string | Uint8Array): boolean => {
    chunks.push(Buffer.from(chunk as string))
    return true
  }
process.stdout.write = taking(said.out)
process.stderr.write = taking(said.error)

process.on('message', ({ args, env, cwd }: CommandLine) => {
  process.chdir(cwd)
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  void run(args, process.env, new AbortController().signal, programOf).then((code) => {
    const [out, error] = [said.out, said.error].map((chunks) => Buffer.concat(chunks.splice(0)).toString().trimEnd())
    process.send!({ code, out, error })
  })
})
process.once('disconnect', () => process.exit())
