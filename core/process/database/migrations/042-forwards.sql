-- Other learning record stores to which statements of a game go on.
create table forward (
  id int generated always as identity primary key,
  uuid uuid not null unique default gen_random_uuid(),
  game int not null references game (id),
  -- the tenant of the game or of its sandbox; null: there was no sandbox yet
  tenant int,
  sandbox boolean not null,
  name text not null,
  endpoint text not null,
  -- of the endpoint: one of them never takes all slots
  host text not null,
  version text not null,
  verb text not null,
  activity text not null,
  related_activities boolean not null,
  pseudonyms boolean not null,
  bare boolean not null,
  attachments boolean not null,
  -- user name; empty: a bearer token, or none
  credential_user text not null default '',
  -- sealed (core/accounts/access/sealed.ts); null: none
  credential bytea,
  -- microseconds: every matching statement stored at or before is taken or set aside
  through bigint not null,
  -- there was nothing more at the last look
  idle boolean not null default false,
  -- statements of a request; less where the target found them too many
  batch int not null,
  sent bigint not null default 0,
  failures int not null default 0,
  problem text not null default '',
  last_sent timestamptz,
  next_attempt timestamptz not null default now(),
  paused boolean not null default false,
  -- until then one core works on it; `attempts` counts those that did, and changes from outside
  leased timestamptz,
  -- something was stored since
  news boolean not null default false,
  attempts int not null default 0,
  created timestamptz not null default now()
);
create index forward_game on forward (game, id);
create index forward_tenant on forward (tenant) where not paused;
create index forward_due on forward (next_attempt) where not paused;

-- Statements that a target does not take.
create table forward_set_aside (
  forward int not null references forward (id) on delete cascade,
  stored bigint not null,
  statement uuid not null,
  reason text not null,
  at timestamptz not null default now(),
  -- it is sent once more
  retry boolean not null default false,
  primary key (forward, stored)
);

-- Erasures of learners whose statements a target may have. It names none of them.
create table forward_erasure (
  forward int not null references forward (id) on delete cascade,
  at timestamptz not null default now()
);
create index forward_erasure_forward on forward_erasure (forward, at);
