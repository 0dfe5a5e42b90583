-- Learning platforms of schools over LTI 1.3 (docs/lti.md).

-- Keys with which a school signs as a tool: platforms of other schools do not know them. `private_key`: sealed;
-- `retired`: it is served for a day from then on.
create table lti_key (
  kid uuid primary key default gen_random_uuid(),
  school int not null references studio on delete cascade,
  private_key bytea not null,
  public_key jsonb not null,
  made timestamptz not null default now(),
  retired timestamptz
);
-- One key signs at a time.
create unique index lti_key_signs on lti_key (school) where retired is null;
create index lti_key_school on lti_key (school);

-- Links by which platforms register themselves, once each.
create table lti_registration (
  code_hash bytea primary key,
  school int not null references studio on delete cascade,
  until timestamptz not null
);
create index lti_registration_school on lti_registration (school);
create index lti_registration_until on lti_registration (until);

-- `origins`: of the pages that may show a launch in a frame.
create table lti_platform (
  uuid uuid primary key default gen_random_uuid(),
  school int not null references studio on delete cascade,
  name text not null,
  issuer text not null,
  client_id text not null,
  login_url text not null,
  token_url text not null,
  jwks_url text not null,
  deployments text[] not null,
  origins text[] not null,
  created timestamptz not null default now(),
  unique (school, issuer, client_id)
);

-- A login between its start and the launch. `asked`: what the platform sent, to begin again in a new tab.
create table lti_login (
  state_hash bytea primary key,
  platform uuid not null references lti_platform on delete cascade,
  nonce_hash bytea not null,
  asked jsonb not null,
  crowd text not null,
  until timestamptz not null
);
create index lti_login_platform on lti_login (platform);
create index lti_login_crowd on lti_login (crowd, until);
create index lti_login_until on lti_login (until);

-- A course of a platform is a class. `members_url`: of Names and Roles, of the last launch.
create table lti_context (
  uuid uuid primary key default gen_random_uuid(),
  platform uuid not null references lti_platform on delete cascade,
  deployment text not null,
  context text not null,
  class uuid not null references school_class on delete cascade,
  members_url text not null default '',
  unique (platform, deployment, context)
);
create index lti_context_class on lti_context (class);

-- A link in a course, as its last launch described it. `game`: the name in addresses; empty: the game of the open
-- lesson. `attempts`: 0 is any number. `line_item`, `line_items`, `scopes`: of Assignment and Grade Services.
create table lti_link (
  uuid uuid primary key default gen_random_uuid(),
  context uuid not null references lti_context on delete cascade,
  link text not null,
  title text not null,
  game text not null,
  level text not null,
  attempts smallint not null,
  grading text not null check (grading in ('first', 'best', 'last')),
  line_item text not null,
  line_items text not null,
  scopes text[] not null,
  launched timestamptz not null default now(),
  unique (context, link)
);

-- What an accepted launch allows, until its end. `picking`: of Deep Linking. Without a pupil: a teacher, or a guest.
create table lti_launch (
  uuid uuid primary key default gen_random_uuid(),
  token_hash bytea not null unique,
  platform uuid not null references lti_platform on delete cascade,
  link uuid references lti_link on delete cascade,
  pupil uuid references pupil on delete cascade,
  picking json,
  until timestamptz not null
);
create index lti_launch_platform on lti_launch (platform);
create index lti_launch_link on lti_launch (link) where link is not null;
create index lti_launch_pupil on lti_launch (pupil) where pupil is not null;
create index lti_launch_until on lti_launch (until);

-- A session that a pupil started from a link: an attempt.
create table lti_attempt (
  registration uuid primary key,
  link uuid not null references lti_link on delete cascade,
  pupil uuid not null references pupil on delete cascade,
  learner uuid not null references learner on delete cascade,
  started timestamptz not null default now()
);
create index lti_attempt_link on lti_attempt (link, pupil, started);
create index lti_attempt_pupil on lti_attempt (pupil);
create index lti_attempt_learner on lti_attempt (learner);

-- Why a login or a launch was refused; never a token. `claim`: the name of the check.
create table lti_refusal (
  id bigint generated always as identity primary key,
  school int not null references studio on delete cascade,
  platform text not null,
  claim text not null,
  came text not null,
  expected text not null,
  refused timestamptz not null default now()
);
create index lti_refusal_school on lti_refusal (school, id);
create index lti_refusal_refused on lti_refusal (refused);
