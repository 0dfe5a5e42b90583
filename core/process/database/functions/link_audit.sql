-- Puts each new entry of the audit log at the end of the chain, one transaction after the other. It runs as the owner
-- of the chain; nobody else may make a trigger of it.
create or replace function link_audit() returns trigger language plpgsql
security definer set search_path = public, pg_temp as $$
declare
  last audit_chain;
begin
  select * into last from audit_chain for update;
  new.position := last.position + 1;
  new.hash := audit_hash(last.hash, new);
  update audit_chain set position = new.position, hash = new.hash;
  return new;
end
$$;
revoke execute on function link_audit from public;
create or replace trigger audit_linked before insert on audit_entry for each row execute function link_audit();

-- Older entries, from before the upgrade that brought the chain, get their place in it here.
do $$
declare
  e audit_entry;
  last audit_chain;
begin
  select * into last from audit_chain for update;
  for e in select * from audit_entry where position is null order by id loop
    e.position := last.position + 1;
    last.hash := audit_hash(last.hash, e);
    last.position := e.position;
    update audit_entry set position = e.position, hash = last.hash where id = e.id;
  end loop;
  update audit_chain set position = last.position, hash = last.hash where position <> last.position;
end
$$;
