-- Refused requests by game and UTC day: few kinds for each (core/store/refusals.ts), the others together as one kind.
create table refusal_tally (
  game int not null references game,
  day date not null,
  kind uuid not null,                  -- key of reason, status, request and path
  reason text not null,
  status int not null,
  request text not null,
  path text not null,
  message text not null,               -- the last one's
  count bigint not null,
  last timestamptz not null,
  primary key (game, day, kind)
);

-- Tallies of statements by game and the UTC day on which they were stored. They are folded from the statements when
-- somebody looks, in the order of `stored`; the cursor moves in the same transaction, so each statement counts once.
create table tally_cursor (
  game int primary key references game,
  stored bigint not null default 0     -- place of the last statement that is folded
);

create table verb_tally (
  game int not null,
  day date not null,
  verb uuid not null,
  statements bigint not null,
  primary key (game, day, verb)
);

create table activity_tally (
  game int not null,
  day date not null,
  activity uuid not null,
  completions bigint not null,
  passed bigint not null,
  failed bigint not null,
  score_sum double precision not null,
  scores bigint[] not null,            -- ten bins of scaled scores
  primary key (game, day, activity)
);

-- Who was there on a day, and in which sessions: distinct over any range of days.
create table learner_day (
  game int not null,
  day date not null,
  actor uuid not null,
  primary key (game, day, actor)
);
create table session_day (
  game int not null,
  day date not null,
  registration uuid not null,
  primary key (game, day, registration)
);

-- What verbs and activities of tallies are called.
create table tally_name (
  game int not null,
  key uuid not null,
  iri text not null,
  name text not null,                  -- as the last statement that gave one has it
  primary key (game, key)
);
