-- Adds a cell: a schema with the tables and sequences of an order of its own, like those of the first cell in `public`.
-- New games go to the cell with the fewest games. Returns its number; null: there are 16 already.
-- With a number, this is a server of its own for that cell (docs/adr/0019): games and cells are known elsewhere. Null
-- then: the cell is here already and has statements.
-- It runs as the owner of the tables, and shares the new ones with a caller who is another role.
create or replace function add_cell(p_number int default null) returns int language plpgsql
security definer set search_path = public, pg_temp as $$
declare
  added int;
  own_schema text;
  one record;
  sequence text;
  used boolean;
  tables constant text[] :=
    '{statement,posting,attachment,attachment_chunk,statement_attachment,activity_definition,agent_name,telling}';
begin
  perform pg_advisory_xact_lock(2026, 0);
  select coalesce(p_number, max(number) + 1) into added from cell;
  if added > 16 then return null; end if;
  own_schema := 'cell_' || added;
  if p_number is not null then
    if exists (select from cell where number = p_number) then
      execute format('select exists (select from %I.statement)', own_schema) into used;
      return case when not used then added end;
    end if;
    for one in
      select k.conrelid::regclass as name, k.conname from pg_constraint k
      where k.contype = 'f' and k.confrelid in ('game'::regclass, 'cell'::regclass)
        and k.conrelid in ('tenant'::regclass, 'credential'::regclass)
    loop
      execute format('alter table %s drop constraint %I', one.name, one.conname);
    end loop;
  end if;
  execute format('create schema %I', own_schema);
  perform set_config('search_path', own_schema || ', public, pg_temp', true);
  for one in
    select c.relname as name, array_to_string(c.reloptions, ', ') as options from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relname = any (tables)
  loop
    execute format('create table %I.%I (like public.%2$I including all)', own_schema, one.name);
    if one.options is not null then
      execute format('alter table %I.%I set (%s)', own_schema, one.name, one.options);
    end if;
  end loop;
  for one in
    select c.relname as name, k.conname, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_class c on c.oid = k.conrelid
    where k.contype = 'f' and c.relnamespace = 'public'::regnamespace and c.relname = any (tables)
  loop
    -- the definition names tables without a schema, so the search path decides
    execute format('alter table %I.%I add constraint %I %s', own_schema, one.name, one.conname,
      replace(one.definition, 'public.', ''));
  end loop;
  foreach sequence in array '{definition_change,erasure,statement_order}'::text[] loop
    execute format('create sequence %I.%I as bigint', own_schema, sequence);
    perform setval(format('%I.%I', own_schema, sequence), 1);
  end loop;
  -- whoever has followed all games has been told that the order is complete up to about now
  perform setval(own_schema || '.statement_order', greatest(
    (extract(epoch from clock_timestamp()) * 1000000)::bigint, (select last_value from public.statement_order)));
  insert into cell values (added);
  update placement set changes = changes + 1;
  if session_user <> current_user then perform public.share_tables(session_user); end if;
  return added;
end
$$;
revoke execute on function add_cell from public;
