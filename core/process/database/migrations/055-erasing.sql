-- Erasures of learners that are under way, step by step. If its core ends, another one goes on.
create table erasing (
  id uuid primary key default gen_random_uuid(),
  learner jsonb not null,              -- whom it erases: gone when it has ended
  pseudonym uuid not null,             -- the name in place of the learner's
  games int[] not null default '{}',   -- in which something was found
  held_until timestamptz not null
);
