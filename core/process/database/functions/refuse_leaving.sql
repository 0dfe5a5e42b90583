-- Of triggers on a cell that goes to another server (core/records/cells/split.ts): nothing in it changes any more.
create or replace function refuse_leaving() returns trigger language plpgsql as $$
begin
  raise exception 'cell % goes to another server', tg_argv[0] using errcode = 'LR003';
end
$$;
