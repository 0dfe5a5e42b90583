-- Keeps the newest definitions of each activity: 1,000 at most, 256 KB together. Otherwise a game that redefines an
-- activity again and again would slow down writes, and reads that merge its definitions.
create or replace function forget_definitions(p_activity uuid[]) returns void language sql as $$
  delete from activity_definition d
  using (
    select activity, definition_key, row_number() over newest as nth, sum(octet_length(definition)) over newest as bytes
    from activity_definition where activity = any (p_activity) and definition is not null
    window newest as (partition by activity order by stored desc, definition_key)
  ) o
  where d.activity = o.activity and d.definition_key = o.definition_key
    and o.nth > 1 and (o.nth > 1000 or o.bytes > 262144);
$$;
