import type { Command } from 'commander'
import type { Env } from '../shared/settings/kinds.ts'
import type { Config } from './config.ts'
import type { CoreClient } from './core-client.ts'

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
