-- Deletions of statements that were sent by mistake (docs/deletion.md).
create table deletion (
  id int generated always as identity primary key,
  uuid uuid not null unique default gen_random_uuid(),
  -- the game, or its sandbox
  game int not null references game (id),
  -- null: it is deleted, or the operator did it
  account int references account (id) on delete set null,
  operator boolean not null,
  reason text not null,
  -- the statements and their `stored`, in the order of the steps
  ids uuid[] not null,
  places bigint[] not null,
  -- what is to be removed, and when it has ended: what was
  statements int not null,
  created timestamptz not null default now(),
  -- until then one core works on it
  leased timestamptz,
  attempts int not null default 0,
  ended timestamptz
);
create index deletion_game on deletion (game, id);
create unique index deletion_open on deletion (game) where ended is null;

-- A forward may have sent what was stored after; 0: all.
alter table forward add column began bigint not null default 0;
-- How many statements of a deletion a target may have. Null: an erasure.
alter table forward_erasure
  add column deletion int references deletion (id) on delete cascade,
  add column statements int;
create index forward_erasure_deletion on forward_erasure (deletion) where deletion is not null;
