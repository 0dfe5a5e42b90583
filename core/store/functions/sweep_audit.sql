-- The retention of the audit log, by bounded batches: blanks addresses after 30 days, deletes entries after `days`.
create or replace function sweep_audit(days int, most int) returns int language plpgsql as $$
declare
  blanked int;
  deleted int;
begin
  perform set_config('games_lrs.audit_sweep', 'on', true);
  update audit_entry set address = null where id = any (array(
    select e.id from audit_entry e where e.address is not null and e.id < audit_id(now() - interval '30 days')
    order by e.id limit most for update skip locked));
  get diagnostics blanked = row_count;
  delete from audit_entry where id = any (array(
    select e.id from audit_entry e where e.id < audit_id(now() - make_interval(days => days))
    order by e.id limit most for update skip locked));
  get diagnostics deleted = row_count;
  perform set_config('games_lrs.audit_sweep', 'off', true);
  return greatest(blanked, deleted);
end
$$;
