import type { Message } from '@bufbuild/protobuf'
import { CommanderError, type Command } from 'commander'
import { unknownSettings } from '../shared/settings/unknown-settings.ts'
import { withSecretFiles } from '../shared/settings/secret-files.ts'
import { SettingError, type Env } from '../shared/settings/kinds.ts'
import type { Act } from './command.ts'
import { readConfig, type Config, type Given } from './config.ts'
import { Failed, type ExitCode } from './failed.ts'
import { forTerminal } from './plain.ts'
import type { Session } from './session.ts'
import type { Shown } from './show.ts'

/** Makes the commands. @param isNamed tells which groups are loaded */
export type ProgramOf = (act: Act, isNamed: (group: string) => boolean) => Promise<Command>

/**
 * Runs one command line; returns the exit code: 0 done, 1 refused or failed, 2 wrong usage or settings, 3 core is not
 * there, so that the same may be tried again. @param ending aborted when the person has had enough
 */
export async function run(
  args: readonly string[],
  given: Env,
  ending: AbortSignal,
  programOf: ProgramOf,
): Promise<ExitCode> {
  let config: Config | undefined

  /** What costs time to load is loaded when it is needed: help comes at once. */
  const act: Act =
    (work) =>
    async (...parsed) => {
      const command = parsed.at(-1) as Command
      const options = command.optsWithGlobals<Given>()
      const env = withSecretFiles(given)
      const session: Session = {
        env,
        ending,
        command,
        json: options.json === true,
        config: () => readConfig(options, env),
        async connect() {
          config = readConfig(options, env)
          return (await import('./core-client.ts')).coreClient(config)
        },
        write: (text) => writeOut(text, ending),
        note: (line) => void process.stderr.write(`${forTerminal(line)}\n`),
      }
      for (const line of unknownSettings(given)) session.note(line)
      const args = command.registeredArguments.map((one, n) => [one.name(), command.processedArgs[n]])
      const shown = await work(session, { ...options, ...Object.fromEntries(args) } as never)
      if (!shown) return
      await session.write(`${session.json ? JSON.stringify(await jsonIn(shown), null, 2) : shown.text}\n`)
      if (shown.fault) throw new Failed(shown.fault)
    }

  try {
    const program = await programOf(act, (name) => args.includes(name) || args.includes('completion'))
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (ending.aborted) {
      process.stderr.write(`${error instanceof Failed ? forTerminal(error.message) : 'Interrupted.'}\n`)
      return 1
    }
    const { lineOf, codeOf } = await import('./failure.ts')
    process.stderr.write(`${lineOf(error, config)}\n`)
    return error instanceof SettingError ? 2 : codeOf(error)
  }
}

/** A message as JSON; what is JSON already stays as it is. */
async function jsonIn({ json }: Shown): Promise<unknown> {
  if (typeof json !== 'object' || json === null || !('$typeName' in json)) return json
  const [{ messages }, { jsonOf }] = await Promise.all([import('./core-client.ts'), import('./json-of.ts')])
  return jsonOf(messages.getMessage(json.$typeName as string)!, json as Message)
}

/** Waits for a slow reader. Files and programs get every byte; a terminal gets no control characters. */
async function writeOut(text: string | Uint8Array, ending: AbortSignal): Promise<void> {
  ending.throwIfAborted()
  if (process.stdout.write(process.stdout.isTTY ? forTerminal(Buffer.from(text).toString()) : text)) return
  const { once } = await import('node:events')
  await once(process.stdout, 'drain', { signal: ending })
}
