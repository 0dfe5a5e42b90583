-- Addresses of result pages that a studio has saved under names.
create table saved_view (
  id int generated always as identity primary key,
  uuid uuid not null unique default gen_random_uuid(),
  game int not null references game (id),
  name text not null,
  -- path below the game, and the query of the address
  page text not null,
  query text not null
);
create index saved_view_game on saved_view (game, id);
