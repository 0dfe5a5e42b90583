-- The audit log only grows. Exceptions: addresses are blanked when they are old, and sweep_audit() deletes what is older
-- than the retention; nothing of the last 30 days can be deleted or changed. Entries from before the chain get their
-- place in it (functions/link_audit.sql).
create or replace function keep_audit() returns trigger language plpgsql as $$
begin
  if tg_level = 'ROW' then
    if tg_op = 'UPDATE' and old.position is null
      and to_jsonb(new) - '{position,hash}'::text[] = to_jsonb(old) - '{position,hash}'::text[] then return new; end if;
    if audit_time(old.id) < now() - interval '30 days'
      and current_setting('games_lrs.audit_sweep', true) is not distinct from 'on' then
      if tg_op = 'DELETE' then return old; end if;
      if new.address is null and to_jsonb(new) - 'address' = to_jsonb(old) - 'address' then return new; end if;
    end if;
  end if;
  raise exception 'the audit log only grows: % is refused', lower(tg_op);
end
$$;
create or replace trigger audit_kept before update or delete on audit_entry for each row execute function keep_audit();
create or replace trigger audit_whole before truncate on audit_entry for each statement execute function keep_audit();
