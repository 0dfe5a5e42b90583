-- Learners of whom retention has removed statements (docs/adr/0020-retention.md). `learner`: a keyed hash of the agent,
-- another one in each game. Days count from 1970: that of the first removed statement in the zone of the studio, and
-- that on which the last one was stored, in UTC.
create table former_learner (
  game int not null,
  learner uuid not null,
  first_day int not null,
  last_day int not null,
  primary key (game, learner)
);
