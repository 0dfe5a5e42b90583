-- Grades of learning platforms: Assignment and Grade Services of LTI 1.3 (docs/lti.md).

-- `score`: 0 to 1; null: no result yet. `through`: place in the order of statements up to which they are counted.
alter table lti_attempt add column score float8, add column through bigint not null default 0;

-- `made_item`: the line item that was found or made when a launch named none. `making`: until when one core looks for it.
alter table lti_link add column made_item text not null default '', add column making timestamptz;

-- The grade of a pupil for a link. `learner`: of the last attempt; the grade goes with its erasure. `rule`: by which
-- the attempts were counted. `wanted`: 0 to 1, with the time that the platform gets; `sent`: what the platform has.
-- `news`: the last time that statements came. `next_attempt`: the next look at the attempts.
create table lti_grade (
  uuid uuid primary key default gen_random_uuid(),
  link uuid not null references lti_link on delete cascade,
  pupil uuid not null references pupil on delete cascade,
  learner uuid not null references learner on delete cascade,
  rule text not null default '',
  wanted float8,
  stamp timestamptz not null default now(),
  sent float8,
  sent_at timestamptz,
  refused boolean not null default false,
  problem text not null default '',
  failures int not null default 0,
  news timestamptz not null default now(),
  next_attempt timestamptz not null,
  leased timestamptz,
  attempts int not null default 0,
  unique (link, pupil)
);
create index lti_grade_pupil on lti_grade (pupil);
create index lti_grade_learner on lti_grade (learner);
create index lti_grade_next on lti_grade (next_attempt) where next_attempt < 'infinity';
