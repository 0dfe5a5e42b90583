import type { Logger } from 'pino'
import { cellServers } from '../../../shared/settings/own-kinds.ts'
import { contentOf } from '../../../shared/settings/secret-files.ts'

type Addresses = ReadonlyMap<string, string>

const setting = 'LRS_CELL_SERVERS_FILE'

/**
 * The addresses of servers, as their file has them now. A file that cannot be used leaves the last ones in use, and one
 * line in the log.
 * @param file undefined: the addresses do not change
 */
export function watchServers(
  addresses: Addresses,
  file: string | undefined,
  log: Pick<Logger, 'info' | 'error'>,
  everyMs = 5_000,
) {
  let current = addresses
  let complained = ''
  const timer = file === undefined ? undefined : setInterval(look, everyMs, file).unref()

  function look(file: string): void {
    try {
      const found = cellServers.parse(setting, contentOf(file, setting))
      complained = ''
      if (isSame(found, current)) return
      current = found
      log.info({ servers: [...found.keys()] }, `${setting} has changed, and is in use`)
    } catch (error) {
      const { message } = error as Error
      if (message !== complained) log.error(`${message} The last addresses stay in use.`)
      complained = message
    }
  }

  return { current: (): Addresses => current, close: (): void => clearInterval(timer) }
}

const isSame = (one: Addresses, other: Addresses): boolean =>
  one.size === other.size && [...one].every(([server, address]) => other.get(server) === address)
