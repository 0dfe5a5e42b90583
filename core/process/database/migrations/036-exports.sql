-- The key of the pseudonyms of a game, so that a learner has the same one in all exports.
create table pseudonym_key (
  game int primary key references game (id) on delete cascade,
  sealed bytea not null                -- core/accounts/access/sealed.ts
);
-- Files of statements that are made beside calls, kept for some days.
create table export_job (
  id int generated always as identity primary key,
  uuid uuid not null unique default gen_random_uuid(),
  game int not null references game (id),
  studio int not null references studio (id),
  account int references account (id) on delete set null,
  sandbox boolean not null,
  -- which statements, and what the file has
  filters jsonb not null,
  form jsonb not null,
  -- of its own pseudonyms, sealed (core/accounts/access/sealed.ts), until the file is made; null: it needs none
  pseudonym_key bytea,
  created timestamptz not null default now(),
  -- until then one core works on it
  leased timestamptz,
  attempts int not null default 0,
  -- how far it is whole: `stored` of the last statement, and the end that the first core found
  place bigint,
  until bigint,
  statements bigint not null default 0,
  bytes bigint not null default 0,
  -- its objects in storage, one after the other
  parts int not null default 0,
  ended timestamptz,
  -- why it failed; empty: it did not
  problem text not null default '',
  cancelled timestamptz
);
create index export_job_game on export_job (game, id);
create index export_job_studio on export_job (studio, id);
create index export_job_open on export_job (id) where ended is null;
create index export_job_ended on export_job (ended) where ended is not null;
