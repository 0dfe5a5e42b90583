import type { TestDatabase } from './database.ts'

const tables = `
  select c.relname as name, coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', '') as options,
    (
      select array_agg(format('%I %s%s%s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
        case when a.attnotnull then ' not null' else '' end,
        case when a.attidentity = 'a' then ' generated always as identity' else '' end,
        coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), ''),
        case when a.attstorage <> t.typstorage then ' storage ' || a.attstorage::text else '' end) order by a.attnum)
      from pg_attribute a join pg_type t on t.oid = a.atttypid
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    ) as columns,
    (
      select coalesce(array_agg(pg_get_constraintdef(o.oid) order by o.contype desc, pg_get_constraintdef(o.oid)), '{}')
      from pg_constraint o where o.conrelid = c.oid and o.contype <> 'n'
    ) as constraints,
    (
      select coalesce(array_agg(pg_get_indexdef(i.indexrelid) order by i.indexrelid::regclass::text), '{}') from pg_index i
      where i.indrelid = c.oid and not exists (select from pg_constraint o where o.conindid = i.indexrelid)
    ) || (
      select coalesce(array_agg(pg_get_triggerdef(g.oid) order by g.tgname), '{}')
      from pg_trigger g where g.tgrelid = c.oid and not g.tgisinternal
    ) as further
  from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
  order by c.relname`

const sequences = `
  select format('create sequence %I as %s', s.sequencename, s.data_type) as made from pg_sequences s
  where s.schemaname = 'public' and not exists (
    select from pg_depend d where d.objid = format('%I', s.sequencename)::regclass and d.deptype = 'i')
  order by 1`

const functions = `
  select format('%s(%s)', p.proname, pg_get_function_arguments(p.oid)) as signature, pg_get_functiondef(p.oid) as definition
  from pg_proc p where p.pronamespace = 'public'::regnamespace
  order by 1`

interface Table {
  name: string
  options: string
  columns: string[]
  constraints: string[]
  further: string[]
}

/** Tables, indexes, sequences and signatures of functions, as SQL to read: it shows what a step has changed. */
export async function schemaOf({ sql }: TestDatabase): Promise<string> {
  const tableText = ({ name, options, columns, constraints, further }: Table) => {
    const inner = [...columns, ...constraints].map((line) => `  ${line}`).join(',\n')
    return [`create table ${name} (\n${inner}\n)${options}`, ...further].map((one) => `${one};\n`).join('')
  }
  const made = (await sql<{ made: string }>(sequences)).map(({ made: one }) => `${one};\n`).join('')
  const names = (await functionsOf({ sql })).map(({ signature }) => `${wrapped(`-- ${signature}`)}\n`).join('')
  return [...(await sql<Table & Record<string, unknown>>(tables)).map(tableText), made, names].join('\n')
}

/** At most 110 columns a line, where there are blanks to break at. */
const wrapped = (line: string) =>
  line.replaceAll(/(.{1,108})( |$)/g, (_, part: string, end: string) => part + (end && '\n--   '))

/** Functions of core by signature, in full. */
export function functionsOf({ sql }: Pick<TestDatabase, 'sql'>): Promise<{ signature: string; definition: string }[]> {
  return sql(functions)
}
