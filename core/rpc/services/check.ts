import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Storage } from '../../../storage/storage.ts'
import type { Config } from '../../process/config/config.ts'
import { inBytes } from '../../../shared/limits.ts'
import type { StoreStatus } from '../../records/store/status.ts'
import { versionOf } from '../../games/package/clamd.ts'
import type { Store } from '../../store.ts'
import type { Finding } from './finding.ts'
import { rules, wrongSettings } from './postgres-settings.ts'

export interface Checked {
  readonly store: Store
  readonly storage: Storage
  readonly config: Config
}

const found =
  (severity: Finding['severity']) =>
  (name: string, message: string, advice = ''): Finding => ({ name, severity, message, advice })
const [ok, warning, error] = [found('ok'), found('warning'), found('error')]

/** Oldest Postgres that the schema runs on. */
const oldestPostgres = 15
const settingNames = [...rules.map(([, setting]) => setting), 'max_connections', 'server_version_num']
const GiB = 1024 ** 3
/** Microseconds between two clocks that are a warning, and that are an error. */
const clockTolerance = { warning: 1_000_000, error: 60_000_000 }

/** Looks for what is wrong or unsafe. @param callersClock microseconds since 1970; 0: not compared */
export async function check(
  core: Checked,
  callersClock = 0,
  now: () => number = () => Date.now() * 1000,
): Promise<Finding[]> {
  const asked = now()
  const looks = [
    database(core),
    clocks(core, callersClock, asked, now),
    order(core),
    cellServers(core, now),
    forgotten(core),
    misplaced(core),
    files(core),
    disk(core),
    scanner(core),
  ]
  return [...(await Promise.all(looks)).flat(), ...standbys(core), ...settings(core.config)]
}

async function database({ store, config }: Checked): Promise<Finding[]> {
  let set: Map<string, string>
  let read: StoreStatus
  try {
    set = await store.status.settings(settingNames)
    read = await store.status.read()
  } catch (cause) {
    return [
      error(
        'database',
        `does not answer: ${(cause as Error).message}`,
        'See whether Postgres runs and DATABASE_URL is right.',
      ),
    ]
  }
  const { schemaVersion, databaseVersion } = read
  const findings: Finding[] = []
  const major = Math.floor(Number(set.get('server_version_num')) / 10_000)
  findings.push(
    major >= oldestPostgres
      ? ok('database', `is Postgres ${databaseVersion}`)
      : warning('database', `is Postgres ${databaseVersion}`, `Use Postgres ${oldestPostgres} or newer.`),
    schemaVersion === store.newestSchema
      ? ok('migrations', `are all applied: version ${schemaVersion}`)
      : error(
          'migrations',
          `stand at version ${schemaVersion}, this core knows ${store.newestSchema}`,
          'Start every core from the same release.',
        ),
  )
  const wrong = wrongSettings(set)
  if (wrong.every(({ name }) => name !== 'durability'))
    findings.push(ok('durability', 'commits are on disk when they are acknowledged'))
  findings.push(...wrong)
  const connections =
    config.databaseConnections * store.places.last().servers.filter((server) => server === null).length
  const most = Number(set.get('max_connections'))
  findings.push(
    connections < most / 2
      ? ok('connections', `${connections} of this core, ${most} at most in Postgres`)
      : warning(
          'connections',
          `this core may take ${connections} of ${most} connections`,
          'Raise max_connections in Postgres, or lower LRS_DATABASE_CONNECTIONS.',
        ),
  )
  return findings
}

async function clocks({ store }: Checked, callersClock: number, asked: number, now: () => number): Promise<Finding[]> {
  const before = now()
  const theirs = await store.status.clock().catch(() => undefined)
  const findings = theirs === undefined ? [] : [clock('clock-database', 'the database', theirs - (before + now()) / 2)]
  return callersClock === 0 ? findings : [...findings, clock('clock-caller', 'the caller', callersClock - asked)]
}

/** Servers that have cells, beside that of the directory. */
async function cellServers({ store }: Checked, now: () => number): Promise<Finding[]> {
  const before = now()
  const servers = await store.cells.otherServers(settingNames).catch(() => [])
  return servers.flatMap(({ server, clock: theirs, settings: set }) =>
    theirs === undefined
      ? error(
          `server-${server}`,
          'cannot be reached: its games are refused, and readers of all games who do not go on without it',
          'See whether Postgres runs there, and LRS_CELL_SERVERS is right.',
        )
      : [clock(`server-${server}`, server, theirs - (before + now()) / 2), ...wrongSettings(set, server)],
  )
}

/** Standbys that answer reads. */
const standbys = ({ store }: Checked): Finding[] =>
  store
    .standbys()
    .map(({ name, fault, isPrimary, behind }) =>
      fault === '' || isPrimary
        ? ok(
            `standby-${name}`,
            fault || (behind === 0 ? 'answers reads' : `answers reads, ${behind.toFixed(1)} s behind`),
          )
        : warning(
            `standby-${name}`,
            `is not asked: ${fault}`,
            'The primary answers its reads. See whether Postgres runs there, replays, and LRS_READ_URLS is right.',
          ),
    )

/** Games of which a server was told more than the directory knows. */
async function forgotten({ store }: Checked): Promise<Finding[]> {
  const found = await store.cells.ahead().catch(() => [])
  if (found.length === 0) return []
  const ids = found.slice(0, 5).map(({ gameId }) => gameId)
  return [
    error(
      'directory',
      `lost its last commits (a failover, a restore): ${found.length} games are refused, such as ${ids.join(', ')}`,
      'Run "cells mend", then this again: statements may be misplaced.',
    ),
  ]
}

/** Statements in tables of another cell than that of their game, where no request finds them. */
async function misplaced({ store }: Checked): Promise<Finding[]> {
  const found = await store.cells.misplaced().catch(() => undefined)
  if (found === undefined) return []
  if (found.length === 0) return [ok('misplaced', 'every statement is in the cell of its game')]
  const count = found.reduce((sum, { statements }) => sum + statements, 0)
  const shown = found.slice(0, 5).map(({ gameId, cell, found, statements }) => {
    const where = `cell ${found.cell}${found.server === '' ? '' : ` on ${found.server}`}`
    return `${statements} of game ${gameId} are in ${where} instead of ${cell}`
  })
  const more = found.length > 5 ? `; and ${found.length - 5} more` : ''
  return [
    error(
      'misplaced',
      `${count} statements are where no request finds them: ${shown.join('; ')}${more}`,
      'Run "cells bring-back", which shows what it would do, then "cells bring-back --yes".',
    ),
  ]
}

function clock(name: string, whose: string, difference: number): Finding {
  const off = Math.abs(difference)
  const seconds = (off / 1_000_000).toFixed(off < 10_000_000 ? 3 : 0)
  const message = `the clock of ${whose} is ${seconds} s ${difference < 0 ? 'behind' : 'ahead of'} this core's`
  if (off < clockTolerance.warning) return ok(name, message)
  return (off < clockTolerance.error ? warning : error)(name, message, 'Let NTP set the clocks of all machines.')
}

async function order({ store }: Checked): Promise<Finding[]> {
  try {
    const lag = Math.max(0, (await store.status.clock()) - (await store.status.consistentThrough()))
    const message = `readers are ${(lag / 1_000_000).toFixed(3)} s behind the clock`
    return [
      lag < 5_000_000
        ? ok('order', message)
        : warning('order', message, 'See what writes for so long, or whether the database takes no writes.'),
    ]
  } catch {
    return []
  }
}

/** Writes, reads and removes a file, listed as garbage so that it is gone whatever happens. */
async function files({ store, storage }: Checked): Promise<Finding[]> {
  const key = `checks/${randomUUID()}`
  const findings: Finding[] = []
  try {
    await store.garbage.list([key], 3_600)
  } catch (cause) {
    return [
      error(
        'database-writes',
        `do not work: ${(cause as Error).message}`,
        'See whether Postgres runs, has room on its disk, and what holds its locks. ' +
          'Storage was not tried, because each file is noted in the database first.',
      ),
    ]
  }
  try {
    await storage.write(key, Buffer.from('check'), 5)
    const stored = await storage.open(key)
    if (stored?.size !== 5) throw new Error('what was written is not there')
    await storage.remove(key)
    findings.push(ok('storage', 'takes, gives and removes files'))
    // if this fails, the sweep removes it
    await store.garbage
      .hasten([key])
      .then(store.garbage.gone)
      .catch(() => {})
  } catch (cause) {
    findings.push(
      error(
        'storage',
        `does not work: ${(cause as Error).message}`,
        'See whether its folder or bucket is there and core may write to it.',
      ),
    )
  }
  const late = await store.status.overdueGarbage().catch(() => 0)
  if (late > 0)
    findings.push(
      warning(
        'storage-garbage',
        `${late} ${late === 1 ? 'file' : 'files'} should have been removed a day ago`,
        'The log of core says why they could not be removed.',
      ),
    )
  return findings
}

async function disk({ config: { storage } }: Checked): Promise<Finding[]> {
  if (storage.kind !== 'local') return []
  try {
    const { bavail, bsize, blocks } = await statfs(existing(storage.folder))
    const [free, whole] = [bavail * bsize, blocks * bsize]
    const message = `${inBytes(free)} of ${inBytes(whole)} are free where files of studios are kept`
    if (free > 5 * GiB && free > whole / 20) return [ok('disk-space', message)]
    return [
      (free > GiB ? warning : error)('disk-space', message, 'Make room, or move LRS_STORAGE_DIR to a larger disk.'),
    ]
  } catch (cause) {
    return [error('disk-space', `cannot be told: ${(cause as Error).message}`, 'See whether LRS_STORAGE_DIR is there.')]
  }
}

async function scanner({ config: { clamd } }: Checked): Promise<Finding[]> {
  if (!clamd) return []
  try {
    return [ok('malware-scanner', `clamd answers PING and is ${await versionOf({ timeout: 5_000, ...clamd })}`)]
  } catch (failure) {
    const message = `cannot be used, so uploads wait: ${(failure as Error).cause}`
    return [error('malware-scanner', message, 'See whether clamd runs and LRS_CLAMD is where it listens.')]
  }
}

/** The folder itself, or what it will be made in. */
const existing = (folder: string): string =>
  existsSync(folder) || folder === dirname(folder) ? folder : existing(dirname(folder))

function settings(config: Config): Finding[] {
  const { rateLimitFactor, authorityHome, serviceTokens, host, tenancy, dialect } = config
  const { operatorName, operatorAddress, operatorContact } = config
  const isNamed = operatorName && operatorAddress && operatorContact
  const short = serviceTokens.filter(({ token }) => token.length < 32).map(({ role }) => role)
  const shared = serviceTokens
    .filter(({ token }, n) => serviceTokens.findIndex((one) => one.token === token) < n)
    .map(({ role }) => role)
  const namesNobody = new URL(authorityHome).hostname.endsWith('.example')
  const ownAddress = 'Set LRS_AUTHORITY_HOME to your own address; it stands in every statement from then on.'
  const isOpen = !['127.0.0.1', '::1', 'localhost'].includes(host)
  const several = `the same token serves several roles: ${shared.join(', ')}`
  const longTokens = 'Give tokens of 32 random characters or more in LRS_SERVICE_TOKENS.'
  const ownNetwork = 'Let only your own network reach CORE_PORT and CORE_RELAY_PORT.'
  const named = {
    isolated: 'is isolated: each game knows only its own learners',
    shared: 'is shared: every game can ask for the learners of all games and their names',
  }
  const letter = 'is xapi: 1.0.3 follows the standard to the letter, also where games expect otherwise'
  return [
    rateLimitFactor === 0
      ? warning('request-limits', 'are off', 'Unset LRS_RATE_LIMITS before games of others call.')
      : ok('request-limits', rateLimitFactor === 1 ? 'are on' : `are on, ${rateLimitFactor} times the usual ones`),
    namesNobody
      ? warning('authority-home', `is ${authorityHome}, which names nobody`, ownAddress)
      : ok('authority-home', `is ${authorityHome}`),
    short.length > 0
      ? warning('service-tokens', `short ones: ${short.join(', ')}`, longTokens)
      : ok('service-tokens', 'are long enough'),
    ...(shared.length > 0 ? [error('service-tokens-shared', several, 'Give every role a token of its own.')] : []),
    ...(isOpen ? [warning('listening', `core listens on ${host} without TLS`, ownNetwork)] : []),
    isNamed
      ? ok('operator', `is ${operatorName} on the imprint and the page on privacy`)
      : warning(
          'operator',
          'is not named in full on the imprint and the page on privacy',
          'Set LRS_OPERATOR_NAME, LRS_OPERATOR_ADDRESS and LRS_OPERATOR_CONTACT, of core and portal.',
        ),
    ok('tenancy', named[tenancy]),
    ...(dialect === 'xapi' ? [ok('dialect', letter)] : []),
  ]
}
