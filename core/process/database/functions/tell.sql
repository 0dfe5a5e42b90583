-- Writes definitions of activities and names of agents from table telling to their tables, without the lock of the
-- order: the entries `from` to `to` of each row in p_base. The definition with the greatest `stored` is the newest, the
-- name with the smallest is the oldest. This holds in any order of calls and when a call is repeated.
-- Deletes the rows in p_done: all of their entries are written.
create or replace function tell(
  p_base bigint[], p_definitions_from int[], p_definitions_to int[], p_names_from int[], p_names_to int[],
  p_done bigint[]
) returns void language plpgsql as $$
declare
  grown uuid[];
begin
  -- either an erasure waits for this transaction, or the erasure was first and has written and deleted these rows
  perform from telling t where t.base = any (p_base) order by t.base for key share;

  with changed as (
    insert into activity_definition as known (activity, definition_key, definition, stored)
    select d.activity, d.key, (array_agg(d.definition))[1], max(d.stored)
    from (
      select u.activity, u.key, t.base + u.n * t.step as stored,
        convert_from(substring(t.texts from u.start + 1 for u.length), 'UTF8') as definition
      from unnest(p_base, p_definitions_from, p_definitions_to) p (base, first, last)
      cross join lateral (select t.* from telling t where t.base = p.base order by t.base limit 1) t
      cross join lateral (
        select u.activity, u.key, min(u.start) as start, min(u.length) as length, max(u.n) as n
        from unnest(
            t.defines[p.first:p.last], t.defined[p.first:p.last], t.definition_key[p.first:p.last],
            t.definition_offset[p.first:p.last], t.definition_length[p.first:p.last])
          u (n, activity, key, start, length)
        where t.inserted is null or u.n = any (t.inserted)
        group by u.activity, u.key) u
    ) d
    group by d.activity, d.key
    -- in one order, so that two calls do not wait for each other
    order by d.activity, d.key
    on conflict (activity, definition_key) do update set stored = excluded.stored
      where excluded.stored > known.stored and known.definition is not null
    returning activity, xmax = 0 as is_new, octet_length(definition) as bytes
  )
  -- Only the newest definitions are kept, and that takes reading all of an activity. It is done once for 500 new
  -- definitions or 128 KB of them, so the cost of each stays the same.
  select array_agg(distinct c.activity) into grown from changed c
  where c.is_new and random() < 0.002 + c.bytes / 131072.0;
  if grown is not null then
    delete from activity_definition d
    using (
      select activity, definition_key, row_number() over newest as nth, sum(octet_length(definition)) over newest as bytes
      from activity_definition where activity = any (grown) and definition is not null
      window newest as (partition by activity order by stored desc, definition_key)
    ) o
    where d.activity = o.activity and d.definition_key = o.definition_key
      and o.nth > 1 and (o.nth > most_definitions() or o.bytes > most_definition_bytes());
  end if;

  -- only the first hundred names of an agent, so that a Person stays small
  insert into agent_name as known (agent, name_key, name, stored)
  select a.agent, d.key, d.name, d.stored
  from (
    select n.agent, array_agg(n.key order by n.stored) as keys, array_agg(n.name order by n.stored) as names,
      array_agg(n.stored order by n.stored) as stored
    from (
      select d.agent, d.key, (array_agg(d.name))[1] as name, min(d.stored) as stored
      from (
        select u.agent, u.key, t.base + u.n * t.step as stored,
          convert_from(substring(t.texts from u.start + 1 for u.length), 'UTF8') as name
        from unnest(p_base, p_names_from, p_names_to) p (base, first, last)
        cross join lateral (select t.* from telling t where t.base = p.base order by t.base limit 1) t
        cross join lateral (
          select u.agent, u.key, min(u.start) as start, min(u.length) as length, min(u.n) as n
          from unnest(
              t.names[p.first:p.last], t.named[p.first:p.last], t.name_key[p.first:p.last],
              t.name_offset[p.first:p.last], t.name_length[p.first:p.last])
            u (n, agent, key, start, length)
          where t.inserted is null or u.n = any (t.inserted)
          group by u.agent, u.key) u
      ) d
      group by d.agent, d.key
    ) n
    group by n.agent
  ) a
  cross join lateral (select count(*) as names from (select from agent_name k where k.agent = a.agent limit 100) k) k
  cross join lateral unnest(a.keys, a.names, a.stored) with ordinality d (key, name, stored, nth)
  where k.names + d.nth <= 100
  order by a.agent, d.key
  on conflict (agent, name_key) do update set stored = excluded.stored where excluded.stored < known.stored;

  delete from telling t where t.base = any (p_done);
end
$$;
