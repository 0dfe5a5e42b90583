import { command } from '../command.ts'
import { Failed } from '../failed.ts'
import { gameIdOf } from '../name-game.ts'
import { bytes, number, table, time } from '../show.ts'

const byStudio = { '<studio>': 'id, e-mail address or slug' }

export const commands = {
  show: command({
    about: 'show usage and limits of a studio',
    takes: byStudio,
    examples: ['quotas show blue-fox'],
    async run({ quotas }, { studio }) {
      const found = await quotas.getStudioUsage({ studio })
      const changed = new Set(found.changed.map(({ name }) => name))
      const amount = (unit: string, value: bigint) => (unit === 'bytes' ? bytes(value) : number(value))
      const text = table(found.usage, '', {
        quota: ({ anchor }) => anchor,
        of: ({ subject }) => subject,
        used: ({ unit, used }) => amount(unit, used),
        limit: ({ unit, limit }) => amount(unit, limit),
        unit: ({ unit }) => (unit === 'bytes' ? '' : unit),
        changed: ({ anchor }) => changed.has(anchor),
        'resets (UTC)': ({ resets }) => time(resets),
      })
      return { json: found, text }
    },
  }),
  set: command({
    about: 'change a quota of one studio',
    takes: {
      ...byStudio,
      '<quota>': 'as "quotas show" names it',
      '<limit>': 'a number, bytes such as 40GB, or "default"',
    },
    examples: ['quotas set blue-fox storage 40GB', 'quotas set blue-fox games 50', 'quotas set blue-fox games default'],
    async run({ quotas }, { studio, quota: name, limit: wanted }) {
      const limit = limitOf(wanted)
      const known = (await quotas.listLimits({})).limits.find(({ anchor }) => anchor === name)
      const isOfBytes = inBytes.test(known?.limit ?? '')
      if (known && !isOfBytes && limit !== undefined && /[a-z]/i.test(wanted))
        throw new Failed(
          `${JSON.stringify(name)} does not count bytes: use a number without a unit, not ${JSON.stringify(wanted)}.`,
          2,
        )
      const set = await quotas.setQuota({ studio, name, limit })
      const shown = isOfBytes ? bytes(set.limit) : number(set.limit)
      const text = `${studio} may have ${shown} (${name})${wanted === 'default' ? ', the default' : ''}.`
      return { json: { studio, name, limit: String(set.limit) }, text }
    },
  }),
}

/** One of the commands for games. */
export const gameQuota = command({
  about: 'limit the bytes that a game stores: statements, attachments and documents',
  takes: { '<game>': 'id or slug (the name in URLs)', '<limit>': 'bytes such as 40GB, or "none"' },
  examples: ['games quota chess 40GB', 'games quota chess none'],
  async run(core, { game, limit: wanted }) {
    const limit = wanted === 'none' ? undefined : limitOf(wanted)
    await core.quotas.setGameQuota({ gameId: await gameIdOf(core, game), limit })
    const text = `${game} may store ${limit === undefined ? 'any number of bytes' : bytes(limit)}.`
    return { json: { game, limit: limit === undefined ? null : String(limit) }, text }
  },
})

/** A limit in words that is one of bytes. */
const inBytes = /\b(bytes|[KMGT]B)$/
/** As in the texts of the limits. */
const units: Record<string, number> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 }

/** Undefined: as for everybody. @throws Failed */
function limitOf(text: string): bigint | undefined {
  if (text === 'default') return undefined
  const [, amount, unit] = /^(\d{1,15}(?:\.\d{1,3})?) ?([kmgt]?)(?:i?b)?$/i.exec(text) ?? []
  const factor = unit === undefined ? undefined : units[unit.toLowerCase()]
  const value = Number(amount) * (factor ?? NaN)
  if (Number.isSafeInteger(value)) return BigInt(value)
  throw new Failed(`${JSON.stringify(text)} is not a limit: use a number, bytes such as 40GB, or "default".`, 2)
}
