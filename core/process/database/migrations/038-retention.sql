-- How long data of games is kept (docs/adr/0020-retention.md). Months; null: for good.
create table retention (
  game int primary key references game (id),
  statements int,
  learners int,
  sandbox int,
  -- when the next run begins, and which core runs it until when
  next_run timestamptz not null default now(),
  holder uuid,
  held_until timestamptz
);
create index retention_next on retention (next_run);

-- Runs: the one that has not ended, and receipts of those that have.
create table retention_run (
  uuid uuid primary key default gen_random_uuid(),
  game int not null references game (id),
  started timestamptz not null default now(),
  ended timestamptz,
  -- what is older goes: microseconds; null: nothing
  statements_before bigint,
  learners_before bigint,
  sandbox_before bigint,
  -- the setting has changed since: it ends where it is
  stopped boolean not null default false,
  -- what went
  counts jsonb
);
create index retention_run_game on retention_run (game, started);

-- What a run has removed of a game or of its sandbox, counted with each step: statements in the cell, documents apart.
create table expiry (
  run uuid not null,
  game int not null,
  apart boolean not null,
  statements bigint not null default 0,
  learners bigint not null default 0,
  documents bigint not null default 0,
  names bigint not null default 0,
  attachments bigint not null default 0,
  first bigint,
  last bigint,
  primary key (run, game, apart)
);

-- Ids of removed statements: they are not stored once more. `until`: days since 1970 in UTC.
create table expired_statement (
  game int not null,
  id uuid not null,
  until int not null,
  primary key (game, id)
);
create index expired_statement_until on expired_statement (until);
-- The game has such ids, so writes look for them.
alter table credential add column expires boolean not null default false;
