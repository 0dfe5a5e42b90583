-- Schools (docs/schools.md): a studio and a school are kinds of one organisation.
alter table studio add kind text not null default 'studio' check (kind in ('studio', 'school'));
alter table member drop constraint member_role_check,
  add check (role in ('owner', 'developer', 'analyst', 'teacher', 'observer'));
alter table member_invitation drop constraint member_invitation_role_check,
  add check (role in ('developer', 'analyst', 'teacher', 'observer'));

-- New accounts of the provider become teachers of this school.
alter table sign_in_provider add school int references studio on delete set null;

-- A studio hands a class over to the school that has the code.
alter table class add handed_hash bytea unique, add handed_until timestamptz;

-- A class of a school, for any game.
create table school_class (
  uuid uuid primary key default gen_random_uuid(),
  school int not null references studio on delete cascade,
  name text not null,
  created timestamptz not null default now()
);
create index school_class_school on school_class (school, created);

-- `name`: for the members of the school who see names; `alias`: for all others.
create table pupil (
  uuid uuid primary key default gen_random_uuid(),
  class uuid not null references school_class on delete cascade,
  name text not null,
  alias text not null,
  -- the picture that the pupil shows beside the name, a number from 0; null: none was chosen yet
  picture smallint,
  -- of the code of a printed card
  card_hash bytea unique,
  created timestamptz not null default now()
);
create index pupil_class on pupil (class, created);

-- The account of a pupil in each game. Nobody but the school knows that they are one person.
create table pupil_learner (
  pupil uuid not null references pupil on delete cascade,
  game int not null references game,
  learner uuid not null unique references learner on delete cascade,
  primary key (pupil, game)
);

-- A lesson of a class. `code`: six digits while it is open; `network`: a keyed hash of where it was opened.
create table lesson (
  uuid uuid primary key default gen_random_uuid(),
  class uuid not null references school_class on delete cascade,
  game int not null references game,
  teacher int references account on delete set null,
  code text unique,
  network text not null,
  -- pupils who are not in the class may join it
  newcomers boolean not null,
  paused boolean not null default false,
  opened timestamptz not null default now(),
  closes timestamptz not null,
  ended timestamptz
);
create index lesson_class on lesson (class, opened);
create index lesson_closes on lesson (closes) where ended is null;

-- A browser in a lesson. `let_in`: by the teacher, or by a printed card; `pupil`: who says that it is there.
create table seat (
  uuid uuid primary key default gen_random_uuid(),
  lesson uuid not null references lesson on delete cascade,
  token_hash bytea not null unique,
  -- the picture by which the teacher knows who waits
  sign smallint not null,
  network text not null,
  asked timestamptz not null default now(),
  let_in timestamptz,
  pupil uuid references pupil on delete cascade,
  -- names and pictures that were wrong
  wrong smallint not null default 0,
  -- when the page was last heard of, and when the seat ends unless it is heard of again
  seen timestamptz not null default now(),
  until timestamptz not null,
  ended timestamptz
);
create index seat_lesson on seat (lesson, asked);
create index seat_pupil on seat (pupil) where pupil is not null;
create index seat_until on seat (until) where ended is null;
create index seat_ended on seat (ended) where ended is not null;
