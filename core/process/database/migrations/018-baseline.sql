-- All tables of version 17. An empty database starts here.

-- A game is one tenant: its statements and state documents are never visible to other games.
-- A game of a studio has a state; a game that an admin created has none.
create table game (
  id int generated always as identity primary key,
  uuid uuid not null unique default gen_random_uuid(),
  name text not null,
  created timestamptz not null default now(),
  studio int,
  sandbox_of int unique references game, -- the tenant of the sandbox sessions of that game
  slug text unique,
  summary text not null default '',
  description text not null default '',
  state text,                          -- core/games/rules/lifecycle.ts
  live_build int,
  staged_build int,
  updated timestamptz not null default now(),
  published timestamptz,               -- first approval
  deleted timestamptz,
  quota bigint,                        -- bytes; null: no limit
  page int not null default 1,         -- counts the changes of name, texts and files; reviews name it
  -- The accepted columns are the public page; the others are the studio's draft.
  accepted_name text,                  -- null: never approved
  accepted_summary text,
  accepted_description text
);
create index game_studio on game (studio) where deleted is null;
create index game_published on game (published, id) where published is not null;
create index game_quota on game (id) where quota is not null;

create table credential (
  id int generated always as identity primary key,
  key text not null unique,
  game int not null references game,
  secret_hash bytea not null,          -- SHA-256; the secret is not stored
  authority text not null,             -- JSON of the Agent that becomes the authority of its statements
  scopes text[] not null,
  version int not null default 1,      -- counts the changes; a caller with an older version authenticates again
  created timestamptz not null default now(),
  rotated timestamptz,
  revoked timestamptz,
  revealed timestamptz                 -- first time that its secret was shown
);
create unique index credential_of_game on credential (game) where revoked is null;
-- Includes revoked credentials: their statements keep their authority.
create index credential_game on credential (game);

-- `stored` is the order: unique, increasing, microseconds since 1970, assigned under one lock (write_statements).
create sequence statement_order as bigint;

create table statement (
  stored bigint not null,
  game int not null,
  credential int not null,
  id uuid not null,
  actor uuid not null,                 -- keys: first 128 bits of a SHA-256, see core/records/xapi/identify.ts
  verb uuid not null,
  activity uuid,
  registration uuid,
  target uuid,                         -- id in a StatementRef object
  voids boolean not null,
  voided boolean not null default false,
  terms uuid[],                        -- its own postings, for statements that refer to it; null: none
  body text not null,                  -- JSON as received plus id, authority, timestamp, version; without `stored`
  primary key (game, stored)
);
create unique index statement_id on statement (game, id);
create index statement_actor on statement (game, actor, stored);
create index statement_verb on statement (game, verb, stored);
create index statement_activity on statement (game, activity, stored) where activity is not null;
create index statement_registration on statement (game, registration, stored) where registration is not null;
create index statement_target on statement (game, target) where target is not null;
-- Finds the statements that void one, without reading all that refer to it.
create index statement_voids on statement (game, target, stored) where voids;

-- Further terms under which a statement is found: its own (stored = target: group members, related agents and
-- activities) and those of the statements that it refers to (target = their `stored`). So all filters of a query match
-- one and the same statement.
create table posting (
  stored bigint not null,
  target bigint not null,
  game int not null,
  term uuid not null,
  primary key (game, term, stored, target)
);

-- Rows are only added. Autovacuum runs after every 2 % of new rows, and freezes them while they are still in memory.
-- Then an index-only scan does not read the table.
alter table statement set (
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_freeze_min_age = 0);
alter table posting set (
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_freeze_min_age = 0);

-- Contents of attachments. Equal contents are stored once, for all statements and games. A content that is still being
-- received has no hash and cannot be found. Contents without a statement are deleted after an hour.
create table attachment (
  id bigint generated always as identity primary key,
  sha2 bytea unique,                   -- SHA-224, 256, 384 or 512: its length tells which
  size bigint,
  referenced boolean not null default false,
  touched timestamptz not null default now()
);
create index attachment_unreferenced on attachment (touched) where not referenced;

create table attachment_chunk (
  attachment bigint not null references attachment on delete cascade,
  n int not null,
  content bytea not null,
  primary key (attachment, n)
);
alter table attachment_chunk alter column content set storage external;

-- The statements of each content: who may read the statement may read the content.
create table statement_attachment (
  game int not null,
  stored bigint not null,
  attachment bigint not null references attachment,
  content_type text not null,
  primary key (game, stored, attachment)
);
-- Finds the first statement of a game with a given content.
create index statement_attachment_content on statement_attachment (attachment, game, stored);

-- Every distinct definition of an activity. Reading merges them.
create table activity_definition (
  activity uuid not null,
  definition_key uuid not null,        -- all zeros: the activity appeared without a definition
  definition text,
  stored bigint not null,              -- the last time that it was the newest
  primary key (activity, definition_key)
);
-- Counts changes of definitions, from 1, under the lock of the order (core/store/write-statements.ts).
create sequence definition_change;
select setval('definition_change', 1);

create table agent_name (
  agent uuid not null,
  name_key uuid not null,              -- all zeros: the agent appeared without a name
  name text,
  stored bigint not null,
  primary key (agent, name_key)
);
alter table agent_name set (autovacuum_analyze_scale_factor = 0.02);

-- Counts erasures of learners, from 1. A core that remembers what is stored forgets it when this changes.
create sequence erasure;
select setval('erasure', 1);

create table document (
  scope uuid not null,                 -- key of kind + activity, agent or both (+ game for state)
  registration uuid not null,          -- all zeros: none
  id_key uuid not null,
  updated bigint not null,             -- microseconds, increasing within the scope
  id text not null,
  content_type text not null,
  etag text not null,                  -- SHA-1 of the content in hex
  agent uuid,                          -- of state and agent profile
  content bytea not null,
  game int,                            -- of a state document; of a profile: the game that stored it first
  activity text,                       -- of a state document
  primary key (scope, registration, id_key)
);
create index document_agent on document (agent) where agent is not null;
-- For the last change in a scope, and for the changes since a time.
create index document_updated on document (scope, updated);
alter table document alter column content set storage external;

-- Stored bytes of games (core/store/game-bytes.ts).
create table game_bytes (
  game int primary key references game,
  stored bigint not null default 0,                -- `stored` of the last counted statement
  statements bigint not null default 0,            -- bytes of bodies up to it, and of attachments, equal contents once
  documents bigint not null default 0              -- bytes of contents
);

-- Changes of document bytes, to be added to game_bytes: separate rows, so that writers do not wait for each other.
create table game_bytes_change (
  game int not null,
  bytes bigint not null
);

-- A studio is the account of a developer.
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
  quotas jsonb not null default '{}',  -- what an admin changed, by the names of shared/limits.ts
  created timestamptz not null default now(),
  trusted boolean not null default false,  -- changes of its profile and published games need no review
  profile int not null default 1,      -- counts the changes of name, about, website and logo
  profile_changed timestamptz not null default now(),
  profile_rejected int,                -- value of `profile` that a reviewer rejected last
  profile_note text not null default '',
  accepted_name text,                  -- null: no game of it was approved
  accepted_about text,
  accepted_website text,
  accepted_logo text
);
create index studio_logo on studio (logo) where logo is not null;
create index studio_accepted_logo on studio (accepted_logo) where accepted_logo is not null;
-- the same condition as isProfileWaiting in core/store/studio-profiles.ts
create index studio_profile_waiting on studio (profile_changed, id) where accepted_name is not null
  and (name, about, website, logo) is distinct from (accepted_name, accepted_about, accepted_website, accepted_logo)
  and profile_rejected is distinct from profile;

create table studio_session (
  hash bytea primary key,              -- SHA-256; the token is not stored
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

-- IRI prefixes that studios have reserved for their activities (core/records/rules/reserved-prefix.ts).
create table reserved_prefix (
  prefix text primary key,             -- ends with a slash
  studio int not null references studio on delete cascade,
  granted timestamptz not null default now()
);
create index reserved_prefix_studio on reserved_prefix (studio);

-- Counts the changes of reserved_prefix, in one row. A change locks it; a core that has seen the last change does not
-- read the table again.
create table reservation_change (
  only_row boolean primary key default true check (only_row),
  changes bigint not null
);
insert into reservation_change (changes) values (0);

-- The last LRS_TENANCY of this store, in one row; no row before the first start. It prevents that names of an isolated
-- store are shared by accident (core/command/keep-tenancy.ts).
create table tenancy (
  only_row boolean primary key default true check (only_row),
  value text not null,
  since timestamptz not null default now()
);

-- Solved captchas, until they expire: each counts once.
create table used_solution (
  hash bytea primary key,
  expires timestamptz not null
);

-- Counters of the portal's limits. In the database, so that they hold for all cores and after a restart.
create table portal_window (
  bucket text not null,
  owner text not null,
  started timestamptz not null,
  count int not null,
  primary key (bucket, owner)
);

create table build (
  id int generated always as identity primary key,
  uuid uuid not null unique,           -- its files are in storage below builds/<uuid>/
  game int not null references game,
  kind text not null,                  -- browser, desktop
  file_name text not null,
  size bigint not null,                -- bytes of the package, as the quota counts them
  files int not null,
  expanded bigint not null,
  created timestamptz not null default now(),
  grace_until timestamptz,             -- a replaced desktop build can be downloaded until then
  removed timestamptz                  -- its files are deleted, or listed as garbage
);
create index build_game on build (game) where removed is null;
alter table game
  add foreign key (studio) references studio,
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
  created timestamptz not null default now(),
  place int not null default 1000,     -- position among the files of its kind; files that were never moved come last, by age
  -- A file of the accepted page stays, with its bytes, until another page is accepted.
  accepted_text text,                  -- null: not on the accepted page
  accepted_place int,
  removed boolean not null default false   -- no longer on the draft
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
  withdrawn timestamptz,
  page int                             -- game.page when submitted; null: submitted before pages were reviewed
);
create index review_game on review (game);
create unique index review_open on review (game) where decided is null and withdrawn is null;
create index review_waiting on review (submitted, uuid) where decided is null and withdrawn is null;

-- Unfinished uploads. Their size is reserved until they are finalized, cancelled or expired.
create table upload (
  uuid uuid primary key,
  studio int not null references studio,
  game int references game,
  kind text not null,                  -- browser-build, desktop-build, gallery-image, teaching-note, logo
  file_name text not null,
  size bigint not null,
  storage_upload text,                 -- storage's id of the upload; null: not begun
  created timestamptz not null default now(),
  expires timestamptz not null,
  claimed timestamptz                  -- being finalized; renewed meanwhile
);
create index upload_studio on upload (studio);

-- Keys in storage, or prefixes of keys that end in /, that are to be deleted when due. A writer lists its key here before
-- it writes; the transaction that needs the file removes the row. So a process that dies half-way leaves no files behind.
create table garbage (
  key text primary key,
  due timestamptz not null,            -- nothing needs it from then on
  claimed timestamptz                  -- being deleted since
);
create index garbage_due on garbage (due);

-- Learners with an account of the player.
create table learner (
  uuid uuid primary key default gen_random_uuid(),
  game int not null references game,
  kind text not null,                  -- test, player, invited
  name text not null,
  token_hash bytea unique,             -- SHA-256 of the token in the learner's browser
  created timestamptz not null default now(),
  -- Learners with nothing but a name are deleted (core/store/learners.ts). Each is checked once in 30 days.
  look_after timestamptz not null default now() + interval '30 days'
);
create index learner_game on learner (game, kind);
create index learner_look on learner (look_after) where kind = 'player';

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

-- Sessions in the player. The launch token is not stored: it is made again for a request with the session's secret.
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
  events bigint not null default 0,    -- number of its last event
  network text                         -- keyed hash of the sender's network, whose sessions share an allowance
);
create index launch_learner on launch (learner);
create index launch_expires on launch (expires);

-- Ended sessions: their launch tokens are refused before they expire. Looked up together with the credential.
create table ended_session (
  id uuid primary key,                 -- of a launch, or of a token that an admin minted
  expires timestamptz not null         -- expiry of its last token
);

-- Requests of the games in sandbox sessions, refused ones included.
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

-- Refused requests by game and UTC day. A game has few kinds (core/store/refusals.ts); the others count as one kind.
create table refusal_tally (
  game int not null references game,
  day date not null,
  kind uuid not null,                  -- key of reason, status, request and path
  reason text not null,
  status int not null,
  request text not null,
  path text not null,
  message text not null,               -- of the last one
  count bigint not null,
  last timestamptz not null,
  primary key (game, day, kind)
);

-- Tallies of statements by game and the UTC day of `stored`. Statements are counted in the order of `stored` when
-- somebody reads the tallies; the cursor moves in the same transaction, so each statement counts once.
create table tally_cursor (
  game int primary key references game,
  stored bigint not null default 0     -- of the last counted statement
);

create table verb_tally (
  game int not null,
  day date not null,
  verb uuid not null,
  statements bigint not null,
  primary key (game, day, verb)
);

create table activity_tally (
  game int not null,
  day date not null,
  activity uuid not null,
  completions bigint not null,
  passed bigint not null,
  failed bigint not null,
  score_sum double precision not null,
  scores bigint[] not null,            -- ten bins of scaled scores
  primary key (game, day, activity)
);

-- The learners and sessions of a day: counted once over any range of days.
create table learner_day (
  game int not null,
  day date not null,
  actor uuid not null,
  primary key (game, day, actor)
);
create table session_day (
  game int not null,
  day date not null,
  registration uuid not null,
  primary key (game, day, registration)
);

-- Names of the verbs and activities of tallies.
create table tally_name (
  game int not null,
  key uuid not null,
  iri text not null,
  name text not null,                  -- the last name that a statement gave
  primary key (game, key)
);
