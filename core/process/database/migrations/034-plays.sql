-- What may be wrong with the statements of a request: JSON; empty: nothing.
alter table sandbox_event add column warnings text not null default '';

-- What players do with things of a game: levels, screens, questions, items (docs/serious-games.md). Days are numbers
-- since 1970, UTC. Numbers of builds are those of the other counts; -1: all builds together.
create table play_thing (
  game int not null,
  number int not null,
  activity uuid not null,
  primary key (game, activity),
  unique (game, number)
);
-- Options of an alternative and answers to a question that are counted one by one.
create table play_option (
  game int not null,
  thing int not null,
  number int not null,
  response text not null,
  name text not null,
  -- how often it was chosen or unlocked; its text goes when nobody is left who did
  uses bigint not null,
  primary key (game, thing, number)
);
create table play_day (
  game int not null,
  kind smallint not null,
  day int not null,
  thing int not null,
  build int not null,
  statements bigint not null,
  primary key (game, kind, day, thing, build)
);
create table play_choice_day (
  game int not null,
  thing int not null,
  day int not null,
  -- 0: all others; -1: no response
  option int not null,
  build int not null,
  chosen bigint not null,
  correct bigint not null,
  wrong bigint not null,
  unlocked bigint not null,
  primary key (game, thing, day, option, build)
);
-- The days of a person with a thing, of each build. `latest` and `highest` are of progress, else empty; `choices` are
-- seven numbers for each option of a day: day, build, option, chosen, right, wrong, unlocked.
create table play_person (
  game int not null,
  actor uuid not null,
  thing int not null,
  kind smallint not null,
  last int not null,
  days int[] not null,
  builds int[] not null,
  counts int[] not null,
  latest float8[] not null,
  highest float8[] not null,
  choices int[] not null,
  primary key (game, actor, thing, kind)
);
create index play_person_last on play_person (game, thing, last, actor) where kind = 1;
-- People by a day and their next day, so that different people of a range are a sum: those whose next day is after it.
create table play_people (
  game int not null,
  kind smallint not null,
  thing int not null,
  build int not null,
  next int not null,
  day int not null,
  latest smallint not null,
  highest smallint not null,
  people bigint not null,
  primary key (game, kind, thing, build, day, next, latest, highest)
);
