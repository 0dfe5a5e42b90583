-- What a cell knows of its games, so that its SQL needs no table of the directory (docs/adr/0019).
-- A sandbox has the studio of its game.
create table tenant (
  game int primary key,
  uuid uuid not null unique,
  studio int,
  sandbox_of int
);
-- nobody adds a game until the trigger of tell_tenant() is there
lock table game in share row exclusive mode;
insert into tenant
select g.id, g.uuid, coalesce(g.studio, o.studio), g.sandbox_of from game g left join game o on o.id = g.sandbox_of;
