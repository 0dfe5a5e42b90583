-- Studios: one account of a developer each.
create table studio (
  id int generated always as identity primary key,
  uuid uuid not null unique default gen_random_uuid(),
  email text not null unique,          -- lower case
  password_hash text not null,         -- argon2id, with its parameters and salt
  name text not null,
  slug text not null unique,           -- its name in addresses
  about text not null default '',
  website text not null default '',
  logo text,                           -- key in storage
  reviewer boolean not null default false,
  quotas jsonb not null default '{}',  -- what an admin changed, by the names of core/limits.ts
  created timestamptz not null default now()
);

create table studio_session (
  hash bytea primary key,              -- SHA-256; the token itself is nowhere
  studio int not null references studio on delete cascade,
  created timestamptz not null default now(),
  used timestamptz not null default now(),
  expires timestamptz not null
);
create index studio_session_studio on studio_session (studio);

create table studio_message (
  uuid uuid primary key default gen_random_uuid(),
  studio int not null references studio on delete cascade,
  sender_name text not null,
  sender_email text not null,
  message text not null,
  sent timestamptz not null default now()
);
create index studio_message_studio on studio_message (studio, sent);

-- Solved challenges, until they end by themselves: none counts twice.
create table used_solution (
  hash bytea primary key,
  expires timestamptz not null
);

-- Counts of the portal's limits. Here and not in memory, so that they hold across cores and restarts.
create table portal_window (
  bucket text not null,
  owner text not null,
  started timestamptz not null,
  count int not null,
  primary key (bucket, owner)
);

-- A game of a studio has a state; a game that an admin made has none. `sandbox_of`: the tenant of a game's sandbox
-- sessions, so that what is tried out never mixes with what learners did.
alter table game
  add studio int references studio,
  add sandbox_of int unique references game,
  add slug text unique,
  add summary text not null default '',
  add description text not null default '',
  add state text,                      -- core/studio/lifecycle.ts
  add live_build int,
  add staged_build int,
  add updated timestamptz not null default now(),
  add published timestamptz,           -- when it was approved for the first time
  add deleted timestamptz;
create index game_studio on game (studio) where deleted is null;
create index game_published on game (published) where published is not null;

alter table credential add revealed timestamptz;   -- when its secret was shown for the first time

create table build (
  id int generated always as identity primary key,
  uuid uuid not null unique,           -- its files are in storage below builds/<uuid>/
  game int not null references game,
  kind text not null,                  -- browser, desktop
  file_name text not null,
  size bigint not null,                -- bytes of the package: what counts for the quota
  files int not null,
  expanded bigint not null,
  created timestamptz not null default now(),
  grace_until timestamptz,             -- of a replaced desktop build: until when it can be downloaded
  removed timestamptz                  -- its files are gone or listed as garbage
);
create index build_game on build (game) where removed is null;
alter table game
  add foreign key (live_build) references build,
  add foreign key (staged_build) references build;

create table game_file (
  id int generated always as identity primary key,
  uuid uuid not null unique,
  game int not null references game,
  kind text not null,                  -- gallery, teaching-note
  file_name text not null,
  content_type text not null,
  size bigint not null,
  text text not null default '',
  storage_key text not null,
  created timestamptz not null default now()
);
create index game_file_game on game_file (game);

create table review (
  uuid uuid primary key default gen_random_uuid(),
  game int not null references game,
  build int not null references build,
  message text not null default '',
  submitted timestamptz not null default now(),
  decided timestamptz,
  approved boolean,
  note text not null default '',
  withdrawn timestamptz
);
create index review_game on review (game);
create unique index review_open on review (game) where decided is null and withdrawn is null;

-- Files that are on their way. Their size is reserved until they are finalized, cancelled or end.
create table upload (
  uuid uuid primary key,
  studio int not null references studio,
  game int references game,
  kind text not null,                  -- browser-build, desktop-build, gallery-image, teaching-note, logo
  file_name text not null,
  size bigint not null,
  storage_upload text,                 -- what storage calls the upload; null: not begun yet
  created timestamptz not null default now(),
  expires timestamptz not null,
  claimed timestamptz                  -- being finalized; renewed while it is
);
create index upload_studio on upload (studio);

-- Keys in storage, or prefixes of them that end in /, that are to be removed when due. Whoever writes to storage lists the
-- key here first; the transaction that makes it wanted takes it off. So whoever dies half-way leaves nothing behind.
create table garbage (
  key text primary key,
  due timestamptz not null,            -- from then on it is never wanted again
  claimed timestamptz                  -- being removed since
);
create index garbage_due on garbage (due);

-- Learners whom the player made an account for.
create table learner (
  uuid uuid primary key default gen_random_uuid(),
  game int not null references game,
  kind text not null,                  -- test, player, invited
  name text not null,
  token_hash bytea unique,             -- SHA-256 of what the learner's browser keeps
  created timestamptz not null default now()
);
create index learner_game on learner (game, kind);

create table invitation (
  uuid uuid primary key default gen_random_uuid(),
  game int not null references game,
  learner uuid not null references learner,
  code_hash bytea not null unique,
  created timestamptz not null default now(),
  used int not null default 0,
  last_used timestamptz,
  revoked timestamptz
);
create index invitation_game on invitation (game);
create index invitation_learner on invitation (learner);

-- Sessions in the player. The launch token is nowhere: it is made again for whoever has the session's secret.
create table launch (
  uuid uuid primary key default gen_random_uuid(),
  secret_hash bytea not null unique,
  game int not null references game,   -- the studio's game, for a sandbox session too
  credential int not null references credential,
  build int not null references build,
  learner uuid not null references learner,
  registration uuid not null,
  sandbox boolean not null,
  created timestamptz not null default now(),
  expires timestamptz not null,
  events bigint not null default 0     -- number of its last event
);
create index launch_learner on launch (learner);
create index launch_expires on launch (expires);

-- What the games of sandbox sessions sent, refused requests included.
create table sandbox_event (
  session uuid not null references launch on delete cascade,
  number bigint not null,
  at timestamptz not null,
  request text not null,
  status int not null,
  message text not null,
  path text not null,
  reason text not null,
  body text not null,
  primary key (session, number)
);
