-- Copies what the cell needs of a game and of its sandbox, while the directory and the only cell share one schema
-- (docs/adr/0019). No other SQL names tables of both.
create or replace function tell_tenant() returns trigger language plpgsql as $$
begin
  insert into tenant
  select g.id, g.uuid, coalesce(g.studio, o.studio), g.sandbox_of from game g left join game o on o.id = g.sandbox_of
  where g.id = new.id or g.sandbox_of = new.id
  on conflict (game) do update set studio = excluded.studio, sandbox_of = excluded.sandbox_of;
  return null;
end
$$;
create or replace trigger game_told after insert or update of studio, sandbox_of on game
  for each row execute function tell_tenant();
