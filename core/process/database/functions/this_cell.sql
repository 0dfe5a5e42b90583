-- The number of the cell that this connection works for (core/process/database/database.ts); 1 unless the connection says another.
create or replace function this_cell() returns int language sql stable as $$
  select coalesce(nullif(current_setting('games_lrs.cell', true), ''), '1')::int;
$$;
-- The lock of a cell's order is pg_advisory_xact_lock(2026, order_lock(cell)); other locks have the numbers 0 to 99.
create or replace function order_lock(p_cell int) returns int language sql immutable as $$
  select case p_cell when 1 then 1 else 100 + p_cell end;
$$;
