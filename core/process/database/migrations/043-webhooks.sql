-- Addresses that are told what happens in a game (docs/webhooks.md).
create table webhook (
  id int generated always as identity primary key,
  uuid uuid not null unique,
  game int not null references game (id) on delete cascade,
  name text not null,
  url text not null,
  -- of the address: one host does not get all slots
  host text not null,
  events text[] not null,
  -- which statements: verb, activity, relatedActivities
  filter jsonb not null,
  -- sealed (core/accounts/access/sealed.ts); the old one signs as well until its end
  secret bytea not null,
  old_secret bytea,
  old_until timestamptz,
  state text not null default 'on' check (state in ('on', 'paused', 'off')),
  failures int not null default 0,
  failing_since timestamptz,
  -- why the last attempt failed, or why it is off
  problem text not null default '',
  -- every matching statement stored at or before is in a delivery; microseconds
  place bigint not null,
  last_delivered timestamptz,
  -- until then one core works on it; the number tells that core whether another one has taken over
  leased timestamptz,
  takes bigint not null default 0,
  -- nothing is sent before
  next_attempt timestamptz not null default now(),
  created timestamptz not null default now()
);
create index webhook_game on webhook (game, id);
create index webhook_due on webhook (next_attempt) where state = 'on';

-- What happened, written in the transaction in which it happened. Statements are not copied: their deliveries are ranges.
create table webhook_event (
  id bigint generated always as identity primary key,
  game int not null references game (id) on delete cascade,
  type text not null,
  data jsonb not null,
  -- names what is told at most once a week; empty: nothing such
  topic text not null default '',
  created timestamptz not null default now()
);
create index webhook_event_game on webhook_event (game, type, created);
create index webhook_event_created on webhook_event (created);

create table webhook_delivery (
  id bigint generated always as identity primary key,
  -- webhook-id, the same in every attempt
  message uuid not null unique default gen_random_uuid(),
  webhook int not null references webhook (id) on delete cascade,
  -- null: a batch of statements
  event bigint references webhook_event (id) on delete cascade,
  -- the batch: those stored after the one and until the other, microseconds, that pass the filter of its time
  after bigint,
  until bigint,
  filter jsonb,
  statements int not null default 0,
  -- a member has asked for it once more
  again boolean not null default false,
  created timestamptz not null default now(),
  attempts int not null default 0,
  first_attempt timestamptz,
  last_attempt timestamptz,
  next_attempt timestamptz not null default now(),
  -- of the last answer; 0: there was none
  status int not null default 0,
  problem text not null default '',
  answer text not null default '',
  ended timestamptz,
  delivered boolean not null default false,
  check ((event is null) = (until is not null))
);
create index webhook_delivery_webhook on webhook_delivery (webhook, id);
create index webhook_delivery_open on webhook_delivery (webhook, next_attempt) where ended is null;
-- batches go one after the other
create unique index webhook_delivery_batch on webhook_delivery (webhook) where event is null and ended is null and not again;
create index webhook_delivery_event on webhook_delivery (event);
create index webhook_delivery_created on webhook_delivery (created);
