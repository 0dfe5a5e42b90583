-- Copies what a cell needs of a game and of its sandbox. A new game goes to the cell with the fewest games, a sandbox to
-- the cell of its game (docs/adr/0019). No other SQL names tables of cell and directory.
create or replace function tell_tenant() returns trigger language plpgsql as $$
begin
  insert into tenant (game, uuid, studio, sandbox_of, zone, start, cut, cell)
  select g.id, g.uuid, coalesce(g.studio, o.studio), g.sandbox_of, coalesce(s.zone, 'UTC'), coalesce(o.start, g.start),
    coalesce(o.cut, g.cut),
    coalesce(
      (select t.cell from tenant t where t.game = g.sandbox_of),
      (select c.number from cell c
        order by not c.open, (select count(*) from tenant t where t.cell = c.number and t.sandbox_of is null), c.number
        limit 1))
  from game g left join game o on o.id = g.sandbox_of left join studio s on s.id = coalesce(g.studio, o.studio)
  where g.id = new.id or g.sandbox_of = new.id
  on conflict (game) do update set studio = excluded.studio, sandbox_of = excluded.sandbox_of, zone = excluded.zone,
    start = excluded.start, cut = excluded.cut, version = tenant.version + 1;
  return null;
end
$$;
create or replace trigger game_told after insert or update of studio, sandbox_of, start, cut on game
  for each row execute function tell_tenant();
