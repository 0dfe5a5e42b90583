-- Counts by the time of statements, in the zone of the studio (docs/adr/0015).
alter table studio add zone text not null default 'UTC';
-- milliseconds since 1970; statements with an earlier timestamp count when they arrived
alter table game add start bigint;
alter table tenant add zone text not null default 'UTC', add start bigint;

-- The counts of a game have its number as their key, or the negative number: `shown` is the sign of those that are
-- read. Others are made beside them when zone, start or the definitions differ; they have reached `next`. When they have
-- caught up they are shown, and the others are deleted (`leaving`). Definitions 0: of the versions before.
alter table tally_cursor add shown smallint not null default 1, add zone text not null default 'UTC',
  add start bigint, add definitions int not null default 0, add next bigint, add next_zone text, add next_start bigint,
  add next_definitions int, add leaving boolean not null default false;

-- Different days of a game are bounded; all further ones are day 0.
create table counted_day (
  game int,
  day int,
  primary key (game, day)
);

-- sums of presence_tally and attempt_tally tell the same
drop table learner_day, session_day;

alter table learner_fact add first_at bigint not null default 0, add last_at bigint not null default 0,
  add level_at bigint not null default 0, add level_stored bigint not null default 0;
create index learner_level_activity on learner_level (game, activity);
-- the days of an index know the days before them
alter table active_day drop previous, drop previous_any, drop first;
-- the steps of an attempt, packed (core/analytics/rules/facts/steps.ts); `began` is the place of the first one
alter table attempt drop marks, drop started_at, drop ended_at, add stored bigint not null default 0,
  add steps bytea not null default '';
alter table attempt drop constraint attempt_pkey;
alter table attempt add primary key (game, actor, activity, registration, began, stored);
alter table attempt_tally rename unfinished to abandoned;
alter table tally_name add contains boolean not null default false;
-- when the latest progress of each day was made
alter table play_person add times bigint[] not null default '{}';

-- lists of learners: teams apart, and by the time of statements; they are made again when they are asked for
alter table learner_seen add team boolean not null default false;
create index learner_seen_team on learner_seen (game, last, actor) where team;
truncate learner_seen, seen_session, seen_word;
update learner_cursor set stored = 0;
