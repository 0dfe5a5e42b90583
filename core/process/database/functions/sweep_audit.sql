-- The retention of the audit log, by bounded batches: blanks addresses after 30 days, deletes entries after `days`, in
-- the order of the chain: what is kept has no gap, and the chain keeps the hash before its first entry. It runs as the
-- owner of the table: core's role may not delete entries where it is another one.
create or replace function sweep_audit(days int, most int) returns int language plpgsql
security definer set search_path = public, pg_temp as $$
declare
  blanked int;
  gone audit_entry[];
begin
  perform set_config('games_lrs.audit_sweep', 'on', true);
  update audit_entry set address = null where id = any (array(
    select e.id from audit_entry e where e.address is not null and e.id < audit_id(now() - interval '30 days')
    order by e.id limit most for update skip locked));
  get diagnostics blanked = row_count;
  -- only one sweep, and not while an entry is added
  perform from audit_chain for update;
  with oldest as (
    select e.position, e.id < audit_id(now() - make_interval(days => days)) as is_old
    from audit_entry e order by e.position limit most),
  deleted as (
    delete from audit_entry e using oldest o where e.position = o.position
      and o.position < coalesce((select min(k.position) from oldest k where not k.is_old), o.position + 1)
    returning e.*)
  select array_agg(d order by d.position) into gone from deleted d;
  if gone is not null then
    update audit_chain set expired_position = (gone[cardinality(gone)]).position,
      expired_hash = (gone[cardinality(gone)]).hash;
  end if;
  perform set_config('games_lrs.audit_sweep', 'off', true);
  return greatest(blanked, coalesce(cardinality(gone), 0));
end
$$;
revoke execute on function sweep_audit from public;
