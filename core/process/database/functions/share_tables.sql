-- Gives core's role what it needs where another role owns the tables: all rows, but of the audit log only to read and
-- to add entries. What changes more runs as the owner: add_cell(), link_audit() and sweep_audit().
create or replace function share_tables(p_role name) returns void language plpgsql as $$
declare
  own_schema name;
begin
  for own_schema in select nspname from pg_namespace where nspname = 'public' or nspname ~ '^cell_[0-9]+$' loop
    execute format('grant usage on schema %I to %I', own_schema, p_role);
    execute format('grant select, insert, update, delete on all tables in schema %I to %I', own_schema, p_role);
    execute format('grant usage, select, update on all sequences in schema %I to %I', own_schema, p_role);
  end loop;
  execute format('revoke all on public.audit_entry, public.audit_chain from %I', p_role);
  execute format('grant select, insert on public.audit_entry to %I', p_role);
  execute format('grant select on public.audit_chain to %I', p_role);
  execute format('grant execute on function public.add_cell, public.sweep_audit to %I', p_role);
end
$$;
-- Whether it has that, and no more on the audit log.
create or replace function has_shared_tables(p_role name) returns boolean language sql stable as $$
  select has_table_privilege(p_role, 'public.placement', 'update')
    and has_function_privilege(p_role, 'public.sweep_audit(int, int)', 'execute')
    and not has_table_privilege(p_role, 'public.audit_entry', 'update, delete, truncate, references, trigger')
    and not has_table_privilege(p_role, 'public.audit_chain', 'insert, update, delete, truncate, references, trigger')
$$;
