import type { Work } from '../command.ts'
import { amount, bytes, list, microTime, number, table } from '../show.ts'

export const showStatus: Work<object> = async (session) => {
  const found = await (await session.connect()).admin.getStatus({})
  const { pool, tables, rates } = found
  const { coreUrl } = session.config()
  const node = found.nodeVersion.replace(/^v/, '')
  const head = list({
    core: `${coreUrl}, version ${found.version}, Node ${node}, up for ${duration(Number(found.uptime))}`,
    database: `Postgres ${found.databaseVersion}, schema ${found.schemaVersion}, ${bytes(found.databaseSize)}`,
    connections: pool
      ? `${pool.open} of ${pool.limit} open, ${pool.idle} idle, ${amount(pool.waiting, 'call waits', 'calls wait')}`
      : '',
    'studios and games': `${number(found.studios)} and ${number(found.games)}`,
    'statements today': number(found.statementsToday),
    'last stored': microTime(found.lastStored) || 'no statement yet',
    'complete through': `${microTime(found.consistentThrough)}, ${milliseconds(found.lag)} behind`,
    followers: number(found.followers),
  })
  const sizes = table(tables.slice(0, mostTables), '', {
    table: ({ name }) => name,
    'rows (about)': ({ rows }) => number(rows),
    size: ({ size }) => bytes(size),
    indexes: ({ indexSize }) => bytes(indexSize),
  })
  const calls = table(rates.slice(0, mostCalls), '', {
    'since the start': ({ call }) => call,
    calls: ({ count }) => number(count),
    'refused or failed': ({ failed }) => number(failed),
  })
  return { json: found, text: [head, calls, sizes].join('\n\n') }
}

/** In the text; --json has them all. */
const mostTables = 8
const mostCalls = 12
const milliseconds = (micros: bigint): string => `${Number(micros) / 1000} ms`

function duration(seconds: number): string {
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ]
  if (days > 0) return `${days} d ${hours} h`
  return hours > 0 ? `${hours} h ${minutes} min` : minutes > 0 ? `${minutes} min` : `${seconds} s`
}
