-- The first attempt of each person at a level: where it is, and how it ended. Counts have it after definitions 2.
alter table learner_level add first_at bigint not null default 0, add first_stored bigint not null default 0,
  add first_day int not null default 0, add first_build int not null default 0,
  add first_completed bool not null default false, add first_success bool;
alter table attempt_tally add first_tries bigint not null default 0, add first_completed bigint not null default 0,
  add first_passed bigint not null default 0, add first_failed bigint not null default 0;
