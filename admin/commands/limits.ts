import { ListLimitsResponseSchema } from '../../gen/lrs/v1/quotas_pb.js'
import { jsonOf } from '../json-of.ts'
import type { Work } from '../session.ts'
import { table } from '../show.ts'

export const listLimits: Work<object> = async (session) => {
  const found = await (await session.connect()).quotas.listLimits({})
  const groups = Map.groupBy(found.limits, ({ group }) => group)
  const texts = groups.entries().map(
    ([group, limits]) =>
      `${group}\n${table(
        ['of', 'limit', 'for each'],
        limits.map(({ subject, limit, keyedBy }) => [subject, limit, keyedBy]),
        '',
      )}`,
  )
  return {
    json: jsonOf(ListLimitsResponseSchema, found),
    text: texts.toArray().join('\n\n'),
  }
}
