-- Cores of the version before know a lease by takes (webhook), holder and held_until (retention, erasing), claimed
-- (upload, garbage) and by a due time that was moved (mail). This keeps them and `leased` with `attempts` in step. The
-- next version drops it.
create or replace function keep_leases() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'webhook' then
    if new.takes <> old.takes then
      new.attempts := old.attempts + 1;
    elsif new.attempts <> old.attempts then
      new.takes := old.takes + 1;
    end if;
  elsif tg_table_name = 'mail' then
    if new.due is not null and new.leased > now() then
      new.due := greatest(new.due, new.leased);
    end if;
  elsif tg_table_name = 'retention' then
    if (new.holder, new.held_until) is distinct from (old.holder, old.held_until) then
      new.leased := new.held_until;
      new.attempts := old.attempts + (new.holder is distinct from old.holder)::int;
    elsif (new.leased, new.attempts) is distinct from (old.leased, old.attempts) then
      new.held_until := new.leased;
      new.holder := case when new.leased is not null then gen_random_uuid() end;
    end if;
  elsif tg_table_name = 'erasing' then
    if tg_op = 'INSERT' then
      new.leased := coalesce(new.leased, new.held_until);
      new.held_until := new.leased;
    elsif new.held_until is distinct from old.held_until then
      new.leased := new.held_until;
    else
      new.held_until := coalesce(new.leased, '-infinity');
    end if;
  else
    declare
      lasts constant interval := case tg_table_name when 'upload' then interval '60 s' else interval '10 minutes' end;
    begin
      if new.claimed is distinct from old.claimed then
        new.leased := new.claimed + lasts;
        new.attempts := old.attempts + 1;
      elsif new.leased is distinct from old.leased then
        new.claimed := new.leased - lasts;
      end if;
    end;
  end if;
  return new;
end
$$;
create or replace trigger leases_kept before update on webhook for each row execute function keep_leases();
create or replace trigger leases_kept before update on mail for each row execute function keep_leases();
create or replace trigger leases_kept before update on retention for each row execute function keep_leases();
create or replace trigger leases_kept before insert or update on erasing for each row execute function keep_leases();
create or replace trigger leases_kept before update on upload for each row execute function keep_leases();
create or replace trigger leases_kept before update on garbage for each row execute function keep_leases();
