import type { Suite } from '../suite.ts'
import { withClient } from '../system.ts'

/** Bytes on disk for each statement, by the bytes of its JSON as GET gives it (with `stored`, 39 bytes). */
export const disk: Suite = {
  name: 'disk',
  async run({ databaseUrl, size }) {
    const { rows } = await withClient(databaseUrl, (client) =>
      client.query(`select count(*)::float8 as count, sum(octet_length(body) + 39)::float8 as json,
        (select sum(pg_total_relation_size(oid))::float8 from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace) as disk
        from statement`),
    )
    const { count, json, disk } = rows[0]
    return [
      {
        suite: 'disk',
        measure: 'disk for each statement, indexes included',
        size,
        unit: 'bytes',
        value: disk / count,
        floor: { name: 'its JSON', value: json / count },
        ratio: disk / json,
        goal: { atMost: 1.7 },
      },
    ]
  },
}
