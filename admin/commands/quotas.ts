import { GetStudioUsageResponseSchema } from '../../gen/lrs/v1/quotas_pb.js'
import { number } from '../amount.ts'
import { Failed } from '../failed.ts'
import { jsonOf } from '../json-of.ts'
import { gameIdOf } from '../name-game.ts'
import type { Work } from '../session.ts'
import { bytes, table, time } from '../show.ts'

export const showQuotas: Work<object> = async (session, [studio]) => {
  const found = await (await session.connect()).quotas.getStudioUsage({ studio })
  const changed = new Set(found.changed.map(({ name }) => name))
  const rows = found.usage.map(({ anchor, subject, used, limit, unit, resets }) => {
    const amount = (value: bigint) => (unit === 'bytes' ? bytes(value) : number(value))
    return [
      anchor,
      subject,
      amount(used),
      amount(limit),
      unit === 'bytes' ? '' : unit,
      changed.has(anchor) ? 'yes' : '',
      time(resets),
    ]
  })
  const text = table(['quota', 'of', 'used', 'limit', 'unit', 'changed', 'resets (UTC)'], rows, '')
  return { json: jsonOf(GetStudioUsageResponseSchema, found), text }
}

export const setQuota: Work<object> = async (session, [studio, name, wanted]) => {
  const limit = limitOf(wanted!)
  const { quotas } = await session.connect()
  const known = (await quotas.listLimits({})).limits.find(({ anchor }) => anchor === name)
  const isOfBytes = inBytes.test(known?.limit ?? '')
  if (known && !isOfBytes && limit !== undefined && /[a-z]/i.test(wanted!))
    throw new Failed(
      `${JSON.stringify(name)} does not count bytes: use a number without a unit, not ${JSON.stringify(wanted)}.`,
      2,
    )
  const set = await quotas.setQuota({ studio, name, limit })
  const shown = isOfBytes ? bytes(set.limit) : number(set.limit)
  return {
    json: { studio: studio!, name: name!, limit: String(set.limit) },
    text: `${studio} may have ${shown} (${name})${wanted === 'default' ? ', the default' : ''}.`,
  }
}

export const setGameQuota: Work<object> = async (session, [game, wanted]) => {
  const limit = wanted === 'none' ? undefined : limitOf(wanted!)
  const core = await session.connect()
  await core.quotas.setGameQuota({ gameId: await gameIdOf(core, game!), limit })
  const text = `${game} may store ${limit === undefined ? 'any number of bytes' : bytes(limit)}.`
  return { json: { game: game!, limit: limit === undefined ? null : String(limit) }, text }
}

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
