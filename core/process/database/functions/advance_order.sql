-- Moves the order up to the clock, so that readers of an idle cell get a watermark: a query that starts after this
-- sees everything up to the returned position, and nothing is stored below it later. Null while a transaction writes.
create or replace function advance_order() returns bigint language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock(2026, order_lock(this_cell())) then return null; end if;
  return setval('statement_order', greatest(
    (extract(epoch from clock_timestamp()) * 1000000)::bigint, (select last_value from statement_order)));
end
$$;
