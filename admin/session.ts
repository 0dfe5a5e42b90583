import type { Command } from 'commander'
import type { Env } from '../shared/settings/kinds.ts'
import type { Config } from './config.ts'
import type { CoreClient } from './core-client.ts'
import type { Shown } from './show.ts'

/** What every command is given beside its own arguments and options. */
export interface Session {
  readonly env: Env
  /** The person wants JSON. */
  readonly json: boolean
  /** Aborted by Ctrl-C and the like. */
  readonly ending: AbortSignal
  readonly command: Command
  /** Where core is. @throws SettingError */
  config(): Config
  /** Core, as an admin. @throws SettingError */
  connect(): Promise<CoreClient>
  /** Writes to stdout, no faster than it is read. */
  write(text: string | Uint8Array): Promise<void>
  /** Writes a line to stderr. */
  note(line: string): void
}

/** What a command does. What it returns is shown; what writes by itself returns nothing. */
export type Work<Options> = (session: Session, args: readonly string[], options: Options) => Promise<Shown | void>

/** Makes a handler for commander of what is loaded when the command runs. */
export type Act = <Options>(load: () => Promise<Work<Options>>) => (...given: unknown[]) => Promise<void>
