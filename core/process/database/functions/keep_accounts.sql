-- While cores of the version before run, they sign in with email, password_hash and reviewer of studio, and start
-- sessions without an account. This keeps account, member and those columns in step. The next version drops it.
create or replace function keep_accounts() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'studio_session' then
    select a.id into new.account from account a join studio s on s.email = a.email where s.id = new.studio;
    return new;
  elsif tg_table_name = 'account' then
    update studio set email = new.email, password_hash = coalesce(new.password_hash, ''), reviewer = new.reviewer
    where email = old.email;
  elsif tg_table_name = 'member' then
    update studio s set email = null, password_hash = '', reviewer = false
    where s.id = coalesce(new.studio, old.studio) and s.email is not null and not exists (
      select from member m join account a on a.id = m.account
      where m.studio = s.id and m.role = 'owner' and a.email = s.email);
    update studio s set email = a.email, password_hash = coalesce(a.password_hash, ''), reviewer = a.reviewer
    from account a
    where s.id = coalesce(new.studio, old.studio) and s.email is null and a.id = (
      select m.account from member m join account o on o.id = m.account
      where m.studio = s.id and m.role = 'owner' and not exists (select from studio t where t.email = o.email)
      order by m.joined, m.account limit 1);
  elsif tg_op = 'INSERT' then
    -- fails for an address that has an account: otherwise its password would be set by a stranger
    with one as (
      insert into account (email, password_hash, reviewer, studio)
      values (new.email, new.password_hash, new.reviewer, new.id) returning id)
    insert into member (studio, account, role) select new.id, id, 'owner' from one;
  else
    update account set password_hash = new.password_hash, reviewer = new.reviewer where email = new.email;
  end if;
  return null;
end
$$;
create or replace trigger account_kept after insert on studio
  for each row when (new.email is not null and pg_trigger_depth() = 0) execute function keep_accounts();
create or replace trigger account_kept_on_change after update of password_hash, reviewer on studio
  for each row when (new.email is not null and pg_trigger_depth() = 0) execute function keep_accounts();
create or replace trigger account_of_session before insert on studio_session
  for each row when (new.account is null) execute function keep_accounts();
create or replace trigger studio_kept after update of email, password_hash, reviewer on account
  for each row when (pg_trigger_depth() = 0) execute function keep_accounts();
create or replace trigger studio_kept after insert or update or delete on member
  for each row execute function keep_accounts();
