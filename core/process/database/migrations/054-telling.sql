-- it gets other parameters
drop function if exists write_statements;
drop function if exists forget_definitions;
-- Definitions of activities and names of agents that are not in activity_definition and agent_name yet: one row for
-- each group of requests, in the same commit. Every reader of those two tables reads these rows, too.
create table telling (
  base bigint primary key,             -- `stored` of the nth statement is base + n * step
  step int not null,
  inserted int[],                      -- ordinals of the statements that were stored; null: all of them
  texts bytea not null,                -- definitions and names, one after the other
  defines int[] not null, defined uuid[] not null, definition_key uuid[] not null,
  definition_offset int[] not null, definition_length int[] not null,
  names int[] not null, named uuid[] not null, name_key uuid[] not null,
  name_offset int[] not null, name_length int[] not null
);
-- Rows are short-lived: compressing them would take longer than all the rest.
alter table telling set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
alter table telling alter texts set storage external,
  alter inserted set storage external,
  alter defines set storage external, alter defined set storage external, alter definition_key set storage external,
  alter definition_offset set storage external, alter definition_length set storage external,
  alter names set storage external, alter named set storage external, alter name_key set storage external,
  alter name_offset set storage external, alter name_length set storage external;
do $$
declare
  own_schema text;
begin
  for own_schema in
    select nspname from pg_namespace where nspname ~ '^cell_[0-9]+$' and to_regclass(nspname || '.statement') is not null
  loop
    execute format('create table %I.telling (like public.telling including all)', own_schema);
    execute format(
      'alter table %I.telling set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)', own_schema);
  end loop;
end
$$;
