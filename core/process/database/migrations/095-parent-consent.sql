-- Who agrees for the pupils of a school (docs/schools.md). A number: one of the parents of each pupil has to agree to
-- this version of the school's text; null: the school acts for the parents.
alter table studio add parents_text int;

-- What a school set, and when. A text that has changed gets the next version.
create table consent_rule (
  school int not null references studio on delete cascade,
  changed timestamptz not null default clock_timestamp(),
  parents boolean not null,
  version int not null,
  text text not null,
  account int references account on delete set null,
  primary key (school, changed)
);

-- The version to which a parent has agreed; null: none, or the parent agrees no longer.
alter table pupil add agreed int;

-- All that was agreed and withdrawn for a pupil. `parent`: the name that was typed; `account`: who noted it from paper.
create table parent_consent (
  pupil uuid not null references pupil on delete cascade,
  at timestamptz not null default clock_timestamp(),
  agreed boolean not null,
  on_paper boolean not null,
  version int not null,
  parent text not null,
  account int references account on delete set null,
  primary key (pupil, at)
);

-- Links for parents. One that nobody has used yet stops working when the pupil gets a new one.
create table parent_link (
  code_hash bytea primary key,
  pupil uuid not null references pupil on delete cascade,
  used timestamptz
);
create index parent_link_pupil on parent_link (pupil);
