-- Learners with nothing but a name are deleted (core/store/learners.ts). Each is checked once in 30 days.
alter table learner add column look_after timestamptz not null default now() + interval '30 days';
create index learner_look on learner (look_after) where kind = 'player';
