-- Moves the order up to the clock, so that readers of an idle store learn how far they have seen: a reader that looks
-- after this sees everything up to the returned place, and nothing is stored below it later. Null while somebody writes.
create or replace function advance_order() returns bigint language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock(2026, 1) then return null; end if;
  return setval('statement_order', greatest((extract(epoch from clock_timestamp()) * 1000000)::bigint, (select last_value from statement_order)));
end
$$;
