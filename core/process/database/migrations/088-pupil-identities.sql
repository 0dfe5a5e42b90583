-- Rosters (docs/schools.md).

-- Who a pupil is in another system. `source`: an LTI issuer, or 'oneroster'; `subject`: its id there. A person in several
-- classes is a pupil in each of them, so it has a row for each.
create table pupil_identity (
  school int not null references studio on delete cascade,
  source text not null,
  subject text not null,
  pupil uuid not null references pupil on delete cascade,
  primary key (school, source, subject, pupil)
);
create index pupil_identity_pupil on pupil_identity (pupil);

-- The same for a class.
create table class_identity (
  school int not null references studio on delete cascade,
  source text not null,
  subject text not null,
  class uuid not null references school_class on delete cascade,
  primary key (school, source, subject)
);
create index class_identity_class on class_identity (class);

-- `gone`: since when a pupil is in no class; it is deleted some days later, unless a roster has it again.
alter table pupil alter class drop not null, add gone timestamptz, add check ((class is null) = (gone is not null));
create index pupil_gone on pupil (gone) where gone is not null;

-- The pupils that one person is in several classes share its account in a game.
alter table pupil_learner drop constraint pupil_learner_learner_key;
create index pupil_learner_learner on pupil_learner (learner);

-- The file of a school whose changes were shown, until somebody confirms them. `content`: JSON, ids and names only.
create table roster (
  school int primary key references studio on delete cascade,
  uuid uuid not null default gen_random_uuid(),
  content text not null,
  sent timestamptz not null default now()
);
create index roster_sent on roster (sent);
