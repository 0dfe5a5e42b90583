import { CommanderError, type Command } from 'commander'
import { unknownSettings } from '../shared/settings/unknown-settings.ts'
import { withSecretFiles } from '../shared/settings/secret-files.ts'
import { SettingError, type Env } from '../shared/settings/kinds.ts'
import { readConfig, type Config, type Given } from './config.ts'
import { Failed, type ExitCode } from './failed.ts'
import { forTerminal } from './plain.ts'
import { programOf } from './program.ts'
import type { Session, Work } from './session.ts'

/**
 * Runs one command line; returns the exit code: 0 done, 1 refused or failed, 2 wrong usage or settings, 3 core is not
 * there, so that the same may be tried again. @param ending aborted when the person has had enough
 */
export async function run(args: readonly string[], given: Env, ending: AbortSignal): Promise<ExitCode> {
  let config: Config | undefined

  /** What costs time to load is loaded when it is needed: help comes at once. */
  const act =
    <Options>(load: () => Promise<Work<Options>>) =>
    async (...parsed: unknown[]) => {
      const command = parsed.at(-1) as Command
      const options = command.optsWithGlobals<Options & Given>()
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
      const work = await load()
      const shown = await work(session, command.processedArgs as string[], options)
      if (shown) await session.write(`${session.json ? JSON.stringify(shown.json, null, 2) : shown.text}\n`)
    }

  try {
    await programOf(act).parseAsync(args, { from: 'user' })
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

/** Waits for a slow reader. Files and programs get every byte; a terminal gets no control characters. */
async function writeOut(text: string | Uint8Array, ending: AbortSignal): Promise<void> {
  ending.throwIfAborted()
  if (process.stdout.write(process.stdout.isTTY ? forTerminal(Buffer.from(text).toString()) : text)) return
  const { once } = await import('node:events')
  await once(process.stdout, 'drain', { signal: ending })
}
