-- What is counted for the answers about a game (docs/insights.md). All counts of charts begin anew with it, in the order
-- of statements. Cores of the version before cannot add a cursor from now on, so they count nothing twice: until they
-- end, their charts fail.
delete from tally_cursor;
truncate verb_tally, activity_tally, learner_day, session_day, tally_name;
-- `opened`: when somebody looked last; core counts on for some days
alter table tally_cursor add column opened timestamptz not null;
-- IRI of the type that the last statement gave
alter table tally_name add column type text not null default '';

-- The build of each session, and what it is called: from 1 for uploads, from 1000001 for values of context.revision.
create table session_build (
  game int not null,
  registration uuid not null,
  build int not null,
  primary key (game, registration)
);
create table tally_build (
  game int not null,
  number int not null,
  name text not null,
  uploaded timestamptz,
  primary key (game, number)
);

-- Learners whose facts are made anew from their statements, because one was voided; `after`: those up to there are.
create table recount (
  game int not null,
  actor uuid not null,
  after bigint not null default 0,
  primary key (game, actor)
);

-- Facts of learners. Days count from 1970 in UTC.
create table learner_fact (
  game int not null,
  actor uuid not null,
  first_day int not null,
  first_build int not null,
  last_day int not null,
  last_build int not null,
  -- the level of the last attempt, and whether that attempt is completed
  level uuid,
  completed boolean not null,
  primary key (game, actor)
);
create table learner_level (
  game int not null,
  actor uuid not null,
  activity uuid not null,
  attempts int not null,
  completed int not null,
  primary key (game, actor, activity)
);
-- `previous`: the day before it on which the learner sent something with this build; `previous_any`: with any build;
-- -1: there is none. `first`: no other build came first on that day.
create table active_day (
  game int not null,
  actor uuid not null,
  build int not null,
  day int not null,
  previous int not null,
  previous_any int not null,
  first boolean not null,
  primary key (game, actor, build, day)
);
-- Attempts; sessions are those without an activity and have the zero UUID in its place. `began`: `stored` of the first
-- statement. Times are milliseconds.
create table attempt (
  game int not null,
  actor uuid not null,
  activity uuid not null,
  registration uuid not null,
  began bigint not null,
  day int not null,
  build int not null,
  marks int not null,
  started_at double precision,
  ended_at double precision,
  millis int,
  score double precision,
  completed boolean not null,
  success boolean,
  primary key (game, actor, activity, registration, began)
);
create index attempt_millis on attempt (game, activity, millis, day, build) where millis is not null;
create index attempt_score on attempt (game, activity, score, day, build) where score is not null;

-- Sums of the facts.
create table return_tally (
  game int not null,
  day int not null,
  build int not null,
  after int not null,
  learners bigint not null,
  primary key (game, day, build, after)
);
create table presence_tally (
  game int not null,
  build int not null,
  day int not null,
  previous int not null,
  learners bigint not null,
  primary key (game, build, day, previous)
);
create table funnel_tally (
  game int not null,
  day int not null,
  build int not null,
  activity uuid not null,
  started bigint not null,
  completed bigint not null,
  primary key (game, day, build, activity)
);
create table leaving_tally (
  game int not null,
  day int not null,
  build int not null,
  activity uuid not null,
  during bigint not null,
  completed bigint not null,
  primary key (game, day, build, activity)
);
-- Of days and of whole months, by their first day. `times`, `scores`: how many values are in which bucket.
create table attempt_tally (
  game int not null,
  whole_month boolean not null,
  day int not null,
  activity uuid not null,
  build int not null,
  attempts bigint not null,
  completed bigint not null,
  passed bigint not null,
  failed bigint not null,
  unfinished bigint not null,
  millis bigint not null,
  score_millionths bigint not null,
  times bytea not null,
  scores bytea not null,
  primary key (game, whole_month, day, activity, build)
);
