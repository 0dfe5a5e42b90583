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
