-- Learners of whom statements were removed: what the list has of them is made again, up to `after` so far.
create table seen_again (
  game int not null,
  actor uuid not null,
  after bigint not null default 0,
  primary key (game, actor)
);
-- the start of the game with which the list was made
alter table learner_cursor add start bigint;
