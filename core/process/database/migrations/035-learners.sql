-- Learners of a game, its sessions, and the words by which learners are found; folded from its statements, as far as
-- the cursor says. Like the tallies they have no foreign key: they go where the statements of the game go.
create table learner_cursor (
  game int primary key,
  stored bigint not null default 0
);
create table learner_seen (
  game int not null,
  actor uuid not null,
  agent text not null,
  name text not null,
  first bigint not null,
  last bigint not null,
  statements bigint not null,
  sessions bigint not null,
  primary key (game, actor)
);
create index learner_seen_last on learner_seen (game, last, actor);
create table seen_session (
  game int not null,
  registration uuid not null,
  actor uuid not null,
  first bigint not null,
  last bigint not null,
  -- milliseconds, by the clock of the device
  began bigint not null,
  ended bigint not null,
  statements bigint not null,
  primary key (game, registration, actor)
);
create index seen_session_actor on seen_session (game, actor);
create table seen_word (
  game int not null,
  word text collate "C" not null,
  actor uuid not null,
  primary key (game, word, actor)
);
create unique index seen_word_actor on seen_word (game, actor, word);

-- The same for the names that the player keeps; `worded`: the words of the name are in learner_word.
alter table learner add column worded boolean not null default false;
create index learner_unworded on learner (game, uuid) where not worded;
create table learner_word (
  game int not null,
  word text collate "C" not null,
  learner uuid not null references learner on delete cascade,
  primary key (game, word, learner)
);
create index learner_word_learner on learner_word (learner);

-- Learners who asked for the erasure of their data. `outcome`: null (it waits), erased, refused, taken-back. The row
-- stays without the learner.
create table erasure_request (
  uuid uuid primary key default gen_random_uuid(),
  game int not null references game,
  learner uuid references learner on delete set null,
  asked timestamptz not null default now(),
  due timestamptz not null,
  decided timestamptz,
  outcome text,
  reason text not null default '',
  receipt uuid
);
create unique index erasure_request_waits on erasure_request (learner) where outcome is null;
create index erasure_request_learner on erasure_request (learner, asked);
create index erasure_request_game on erasure_request (game, asked);
create index erasure_request_due on erasure_request (due) where outcome is null;

-- A text of the studio that learners agree to before they play. A version is the hash of its text.
alter table game add column consent text not null default '', add column accepted_consent text;
create table consent (
  learner uuid not null references learner on delete cascade,
  version text not null,
  agreed timestamptz not null default now(),
  primary key (learner, version)
);
