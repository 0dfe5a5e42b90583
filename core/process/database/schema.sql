-- The schema that the steps in migrations/ make, to read; nothing runs this file.
-- npm test -- test/schema.test.ts -u   writes it again.

create table account (
  id integer not null generated always as identity,
  uuid uuid not null default gen_random_uuid(),
  email text not null,
  email_verified timestamp with time zone,
  password_hash text,
  name text not null default ''::text,
  reviewer boolean not null default false,
  admin boolean not null default false,
  may_own integer not null default 1,
  created timestamp with time zone not null default now(),
  suspended timestamp with time zone,
  studio integer,
  provided_roles text[] not null default '{}'::text[],
  ends timestamp with time zone,
  zone text not null default ''::text,
  language text not null default ''::text,
  UNIQUE (email),
  UNIQUE (uuid),
  PRIMARY KEY (id),
  FOREIGN KEY (studio) REFERENCES studio(id) ON DELETE SET NULL
);
CREATE INDEX account_ends ON public.account USING btree (ends) WHERE (ends IS NOT NULL);
CREATE INDEX account_studio ON public.account USING btree (studio) WHERE (studio IS NOT NULL);
CREATE TRIGGER studio_kept AFTER UPDATE OF email, password_hash, reviewer ON public.account FOR EACH ROW WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION keep_accounts();

create table active_day (
  game integer not null,
  actor uuid not null,
  build integer not null,
  day integer not null,
  PRIMARY KEY (game, actor, build, day)
);

create table activity_definition (
  activity uuid not null,
  definition_key uuid not null,
  definition text,
  stored bigint not null,
  PRIMARY KEY (activity, definition_key)
);

create table activity_tally (
  game integer not null,
  day date not null,
  activity uuid not null,
  completions bigint not null,
  passed bigint not null,
  failed bigint not null,
  score_sum double precision not null,
  scores bigint[] not null,
  PRIMARY KEY (game, day, activity)
);

create table agent_name (
  agent uuid not null,
  name_key uuid not null,
  name text,
  stored bigint not null,
  PRIMARY KEY (agent, name_key)
) with (autovacuum_analyze_scale_factor=0.02);

create table attachment (
  id bigint not null generated always as identity,
  sha2 bytea,
  size bigint,
  referenced boolean not null default false,
  touched timestamp with time zone not null default now(),
  UNIQUE (sha2),
  PRIMARY KEY (id)
);
CREATE INDEX attachment_unreferenced ON public.attachment USING btree (touched) WHERE (NOT referenced);

create table attachment_chunk (
  attachment bigint not null,
  n integer not null,
  content bytea not null storage e,
  PRIMARY KEY (attachment, n),
  FOREIGN KEY (attachment) REFERENCES attachment(id) ON DELETE CASCADE
);

create table attempt (
  game integer not null,
  actor uuid not null,
  activity uuid not null,
  registration uuid not null,
  began bigint not null,
  day integer not null,
  build integer not null,
  millis integer,
  score double precision,
  completed boolean not null,
  success boolean,
  stored bigint not null default 0,
  steps bytea not null default '\x'::bytea,
  PRIMARY KEY (game, actor, activity, registration, began, stored)
);
CREATE INDEX attempt_millis ON public.attempt USING btree (game, activity, millis, day, build) WHERE (millis IS NOT NULL);
CREATE INDEX attempt_score ON public.attempt USING btree (game, activity, score, day, build) WHERE (score IS NOT NULL);

create table attempt_tally (
  game integer not null,
  whole_month boolean not null,
  day integer not null,
  activity uuid not null,
  build integer not null,
  attempts bigint not null,
  completed bigint not null,
  passed bigint not null,
  failed bigint not null,
  abandoned bigint not null,
  millis bigint not null,
  score_millionths bigint not null,
  times bytea not null,
  scores bytea not null,
  first_tries bigint not null default 0,
  first_completed bigint not null default 0,
  first_passed bigint not null default 0,
  first_failed bigint not null default 0,
  PRIMARY KEY (game, whole_month, day, activity, build)
);

create table audit_chain (
  only_row boolean not null default true,
  "position" bigint not null default 0,
  hash bytea not null default '\x'::bytea,
  expired_position bigint not null default 0,
  expired_hash bytea not null default '\x'::bytea,
  PRIMARY KEY (only_row),
  CHECK (only_row)
);

create table audit_entry (
  id uuid not null default (encode(set_bit(set_bit(OVERLAY(uuid_send(gen_random_uuid()) PLACING SUBSTRING(int8send(((EXTRACT(epoch FROM clock_timestamp()) * (1000)::numeric))::bigint) FROM 3) FROM 1 FOR 6), (52)::bigint, 1), (53)::bigint, 1), 'hex'::text))::uuid,
  action text not null,
  actor text not null,
  actor_id text,
  actor_name text,
  actor_studio uuid,
  token text,
  studio uuid,
  subject text,
  subject_id text,
  subject_name text,
  outcome text not null default 'ok'::text,
  address text,
  request text,
  details jsonb not null default '{}'::jsonb,
  count integer not null default 1,
  "position" bigint,
  hash bytea,
  PRIMARY KEY (id)
);
CREATE INDEX audit_address ON public.audit_entry USING btree (id) WHERE (address IS NOT NULL);
CREATE INDEX audit_of_studio ON public.audit_entry USING btree (studio, id) WHERE (studio IS NOT NULL);
CREATE UNIQUE INDEX audit_position ON public.audit_entry USING btree ("position");
CREATE TRIGGER audit_kept BEFORE DELETE OR UPDATE ON public.audit_entry FOR EACH ROW EXECUTE FUNCTION keep_audit();
CREATE TRIGGER audit_linked BEFORE INSERT ON public.audit_entry FOR EACH ROW EXECUTE FUNCTION link_audit();
CREATE TRIGGER audit_whole BEFORE TRUNCATE ON public.audit_entry FOR EACH STATEMENT EXECUTE FUNCTION keep_audit();

create table build (
  id integer not null generated always as identity,
  uuid uuid not null,
  game integer not null,
  kind text not null,
  file_name text not null,
  size bigint not null,
  files integer not null,
  expanded bigint not null,
  created timestamp with time zone not null default now(),
  grace_until timestamp with time zone,
  removed timestamp with time zone,
  number integer,
  version text not null default ''::text,
  notes text not null default ''::text,
  sha256 text not null default ''::text,
  kept_until timestamp with time zone,
  UNIQUE (uuid),
  PRIMARY KEY (id),
  FOREIGN KEY (game) REFERENCES game(id)
);
CREATE INDEX build_game ON public.build USING btree (game) WHERE (removed IS NULL);
CREATE UNIQUE INDEX build_number ON public.build USING btree (game, number);

create table cell (
  number integer not null,
  added timestamp with time zone not null default now(),
  server text,
  open boolean not null default true,
  erased bigint not null default 0,
  PRIMARY KEY (number),
  CHECK (((number >= 1) AND (number <= 16)))
);

create table class (
  uuid uuid not null default gen_random_uuid(),
  game integer not null,
  name text not null,
  created timestamp with time zone not null default now(),
  ended timestamp with time zone,
  handed_hash bytea,
  handed_until timestamp with time zone,
  UNIQUE (handed_hash),
  PRIMARY KEY (uuid),
  FOREIGN KEY (game) REFERENCES game(id)
);
CREATE INDEX class_ended ON public.class USING btree (ended) WHERE (ended IS NOT NULL);
CREATE INDEX class_game ON public.class USING btree (game);

create table class_identity (
  school integer not null,
  source text not null,
  subject text not null,
  class uuid not null,
  PRIMARY KEY (school, source, subject),
  FOREIGN KEY (class) REFERENCES school_class(uuid) ON DELETE CASCADE,
  FOREIGN KEY (school) REFERENCES studio(id) ON DELETE CASCADE
);
CREATE INDEX class_identity_class ON public.class_identity USING btree (class);

create table consent (
  learner uuid not null,
  version text not null,
  agreed timestamp with time zone not null default now(),
  language text not null default ''::text,
  PRIMARY KEY (learner, version),
  FOREIGN KEY (learner) REFERENCES learner(uuid) ON DELETE CASCADE
);

create table consent_rule (
  school integer not null,
  changed timestamp with time zone not null default clock_timestamp(),
  parents boolean not null,
  version integer not null,
  text text not null,
  account integer,
  PRIMARY KEY (school, changed),
  FOREIGN KEY (account) REFERENCES account(id) ON DELETE SET NULL,
  FOREIGN KEY (school) REFERENCES studio(id) ON DELETE CASCADE
);

create table counted_day (
  game integer not null,
  day integer not null,
  PRIMARY KEY (game, day)
);

create table credential (
  id integer not null generated always as identity,
  key text not null,
  game integer not null,
  secret_hash bytea not null,
  authority text not null,
  scopes text[] not null,
  version integer not null default 1,
  created timestamp with time zone not null default now(),
  rotated timestamp with time zone,
  revoked timestamp with time zone,
  revealed timestamp with time zone,
  expires boolean not null default false,
  UNIQUE (key),
  PRIMARY KEY (id),
  FOREIGN KEY (game) REFERENCES game(id)
);
CREATE INDEX credential_game ON public.credential USING btree (game);
CREATE UNIQUE INDEX credential_of_game ON public.credential USING btree (game) WHERE (revoked IS NULL);

create table deletion (
  id integer not null generated always as identity,
  uuid uuid not null default gen_random_uuid(),
  game integer not null,
  account integer,
  operator boolean not null,
  reason text not null,
  ids uuid[] not null,
  places bigint[] not null,
  statements integer not null,
  created timestamp with time zone not null default now(),
  leased timestamp with time zone,
  attempts integer not null default 0,
  ended timestamp with time zone,
  UNIQUE (uuid),
  PRIMARY KEY (id),
  FOREIGN KEY (account) REFERENCES account(id) ON DELETE SET NULL,
  FOREIGN KEY (game) REFERENCES game(id)
);
CREATE INDEX deletion_game ON public.deletion USING btree (game, id);
CREATE UNIQUE INDEX deletion_open ON public.deletion USING btree (game) WHERE (ended IS NULL);

create table device (
  uuid uuid not null default gen_random_uuid(),
  game integer not null,
  secret_hash bytea not null,
  user_code_hash bytea,
  learner uuid,
  denied boolean not null default false,
  expires timestamp with time zone,
  polled timestamp with time zone,
  wait integer not null default 5,
  name text not null default ''::text,
  created timestamp with time zone not null default now(),
  last_used timestamp with time zone not null default now(),
  UNIQUE (secret_hash),
  UNIQUE (user_code_hash),
  PRIMARY KEY (uuid),
  FOREIGN KEY (game) REFERENCES game(id),
  FOREIGN KEY (learner) REFERENCES learner(uuid) ON DELETE CASCADE
);
CREATE INDEX device_expires ON public.device USING btree (expires) WHERE (expires IS NOT NULL);
CREATE INDEX device_game ON public.device USING btree (game, last_used) WHERE (expires IS NULL);
CREATE INDEX device_last_used ON public.device USING btree (last_used) WHERE (expires IS NULL);
CREATE INDEX device_learner ON public.device USING btree (learner, last_used);
CREATE INDEX device_waiting ON public.device USING btree (game, expires) WHERE (expires IS NOT NULL);

create table document (
  scope uuid not null,
  registration uuid not null,
  id_key uuid not null,
  updated bigint not null,
  id text not null,
  content_type text not null,
  etag text not null,
  agent uuid,
  content bytea not null storage e,
  game integer,
  activity text,
  PRIMARY KEY (scope, registration, id_key)
);
CREATE INDEX document_agent ON public.document USING btree (agent) WHERE (agent IS NOT NULL);
CREATE INDEX document_updated ON public.document USING btree (scope, updated);
CREATE TRIGGER document_resized AFTER UPDATE ON public.document FOR EACH ROW WHEN ((octet_length(old.content) <> octet_length(new.content))) EXECUTE FUNCTION count_document();
CREATE TRIGGER document_written AFTER INSERT OR DELETE ON public.document FOR EACH ROW EXECUTE FUNCTION count_document();

create table ended_session (
  id uuid not null,
  expires timestamp with time zone not null,
  PRIMARY KEY (id)
);

create table erasing (
  id uuid not null default gen_random_uuid(),
  learner jsonb not null,
  pseudonym uuid not null,
  games integer[] not null default '{}'::integer[],
  leased timestamp with time zone,
  attempts integer not null default 0,
  PRIMARY KEY (id)
);

create table erasure_request (
  uuid uuid not null default gen_random_uuid(),
  game integer not null,
  learner uuid,
  asked timestamp with time zone not null default now(),
  due timestamp with time zone not null,
  decided timestamp with time zone,
  outcome text,
  reason text not null default ''::text,
  receipt uuid,
  school integer,
  PRIMARY KEY (uuid),
  FOREIGN KEY (game) REFERENCES game(id),
  FOREIGN KEY (learner) REFERENCES learner(uuid) ON DELETE SET NULL,
  FOREIGN KEY (school) REFERENCES studio(id) ON DELETE SET NULL
);
CREATE INDEX erasure_request_due ON public.erasure_request USING btree (due) WHERE (outcome IS NULL);
CREATE INDEX erasure_request_game ON public.erasure_request USING btree (game, asked);
CREATE INDEX erasure_request_learner ON public.erasure_request USING btree (learner, asked);
CREATE UNIQUE INDEX erasure_request_waits ON public.erasure_request USING btree (learner) WHERE (outcome IS NULL);

create table expired_statement (
  game integer not null,
  id uuid not null,
  until integer not null,
  PRIMARY KEY (game, id)
);
CREATE INDEX expired_statement_until ON public.expired_statement USING btree (until);

create table expiry (
  run uuid not null,
  game integer not null,
  apart boolean not null,
  statements bigint not null default 0,
  learners bigint not null default 0,
  documents bigint not null default 0,
  names bigint not null default 0,
  attachments bigint not null default 0,
  first bigint,
  last bigint,
  PRIMARY KEY (run, game, apart)
);

create table export_job (
  id integer not null generated always as identity,
  uuid uuid not null default gen_random_uuid(),
  game integer not null,
  studio integer not null,
  account integer,
  sandbox boolean not null,
  filters jsonb not null,
  form jsonb not null,
  pseudonym_key bytea,
  created timestamp with time zone not null default now(),
  leased timestamp with time zone,
  attempts integer not null default 0,
  place bigint,
  statements bigint not null default 0,
  bytes bigint not null default 0,
  ended timestamp with time zone,
  problem text not null default ''::text,
  cancelled timestamp with time zone,
  parts integer[] not null default '{}'::integer[],
  UNIQUE (uuid),
  PRIMARY KEY (id),
  FOREIGN KEY (account) REFERENCES account(id) ON DELETE SET NULL,
  FOREIGN KEY (game) REFERENCES game(id),
  FOREIGN KEY (studio) REFERENCES studio(id)
);
CREATE INDEX export_job_ended ON public.export_job USING btree (ended) WHERE (ended IS NOT NULL);
CREATE INDEX export_job_game ON public.export_job USING btree (game, id);
CREATE INDEX export_job_open ON public.export_job USING btree (id) WHERE (ended IS NULL);
CREATE INDEX export_job_studio ON public.export_job USING btree (studio, id);

create table former_learner (
  game integer not null,
  learner uuid not null,
  first_day integer not null,
  last_day integer not null,
  PRIMARY KEY (game, learner)
);

create table forward (
  id integer not null generated always as identity,
  uuid uuid not null default gen_random_uuid(),
  game integer not null,
  tenant integer,
  sandbox boolean not null,
  name text not null,
  endpoint text not null,
  host text not null,
  version text not null,
  verb text not null,
  activity text not null,
  related_activities boolean not null,
  pseudonyms boolean not null,
  bare boolean not null,
  attachments boolean not null,
  credential_user text not null default ''::text,
  credential bytea,
  through bigint not null,
  idle boolean not null default false,
  batch integer not null,
  sent bigint not null default 0,
  failures integer not null default 0,
  problem text not null default ''::text,
  last_sent timestamp with time zone,
  next_attempt timestamp with time zone not null default now(),
  paused boolean not null default false,
  leased timestamp with time zone,
  news boolean not null default false,
  attempts integer not null default 0,
  created timestamp with time zone not null default now(),
  server_errors integer not null default 0,
  began bigint not null default 0,
  UNIQUE (uuid),
  PRIMARY KEY (id),
  FOREIGN KEY (game) REFERENCES game(id)
);
CREATE INDEX forward_due ON public.forward USING btree (next_attempt) WHERE (NOT paused);
CREATE INDEX forward_game ON public.forward USING btree (game, id);
CREATE INDEX forward_tenant ON public.forward USING btree (tenant) WHERE (NOT paused);

create table forward_erasure (
  forward integer not null,
  at timestamp with time zone not null default now(),
  deletion integer,
  statements integer,
  FOREIGN KEY (deletion) REFERENCES deletion(id) ON DELETE CASCADE,
  FOREIGN KEY (forward) REFERENCES forward(id) ON DELETE CASCADE
);
CREATE INDEX forward_erasure_deletion ON public.forward_erasure USING btree (deletion) WHERE (deletion IS NOT NULL);
CREATE INDEX forward_erasure_forward ON public.forward_erasure USING btree (forward, at);

create table forward_set_aside (
  forward integer not null,
  stored bigint not null,
  statement uuid not null,
  reason text not null,
  at timestamp with time zone not null default now(),
  retry boolean not null default false,
  PRIMARY KEY (forward, stored),
  FOREIGN KEY (forward) REFERENCES forward(id) ON DELETE CASCADE
);

create table funnel_tally (
  game integer not null,
  day integer not null,
  build integer not null,
  activity uuid not null,
  started bigint not null,
  completed bigint not null,
  PRIMARY KEY (game, day, build, activity)
);

create table game (
  id integer not null generated always as identity,
  uuid uuid not null default gen_random_uuid(),
  name text not null,
  created timestamp with time zone not null default now(),
  studio integer,
  sandbox_of integer,
  slug text,
  summary text not null default ''::text,
  description text not null default ''::text,
  state text,
  live_build integer,
  staged_build integer,
  updated timestamp with time zone not null default now(),
  published timestamp with time zone,
  deleted timestamp with time zone,
  quota bigint,
  page integer not null default 1,
  accepted_name text,
  accepted_summary text,
  accepted_description text,
  consent text not null default ''::text,
  accepted_consent text,
  isolated boolean not null default false,
  orientation text not null default ''::text,
  beta_build integer,
  embed text[] not null default '{}'::text[],
  beta_link bytea,
  beta_linked timestamp with time zone,
  start bigint,
  cut text,
  devices boolean not null default false,
  launch_link text not null default ''::text,
  facts jsonb not null default '{}'::jsonb,
  accepted_facts jsonb not null default '{}'::jsonb,
  found tsvector,
  texts jsonb not null default '{}'::jsonb,
  accepted_texts jsonb not null default '{}'::jsonb,
  UNIQUE (beta_link),
  UNIQUE (sandbox_of),
  UNIQUE (slug),
  UNIQUE (uuid),
  PRIMARY KEY (id),
  FOREIGN KEY (beta_build) REFERENCES build(id),
  FOREIGN KEY (live_build) REFERENCES build(id),
  FOREIGN KEY (sandbox_of) REFERENCES game(id),
  FOREIGN KEY (staged_build) REFERENCES build(id),
  FOREIGN KEY (studio) REFERENCES studio(id),
  CHECK ((orientation = ANY (ARRAY[''::text, 'landscape'::text, 'portrait'::text])))
);
CREATE INDEX game_found ON public.game USING gin (found) WHERE (published IS NOT NULL);
CREATE INDEX game_published ON public.game USING btree (published, id) WHERE (published IS NOT NULL);
CREATE INDEX game_quota ON public.game USING btree (id) WHERE (quota IS NOT NULL);
CREATE INDEX game_studio ON public.game USING btree (studio) WHERE (deleted IS NULL);
CREATE TRIGGER game_told AFTER INSERT OR UPDATE OF studio, sandbox_of, start, cut ON public.game FOR EACH ROW EXECUTE FUNCTION tell_tenant();

create table game_bytes (
  game integer not null,
  stored bigint not null default 0,
  statements bigint not null default 0,
  documents bigint not null default 0,
  PRIMARY KEY (game)
);

create table game_bytes_change (
  game integer not null,
  bytes bigint not null
);

create table game_file (
  id integer not null generated always as identity,
  uuid uuid not null,
  game integer not null,
  kind text not null,
  file_name text not null,
  content_type text not null,
  size bigint not null,
  text text not null default ''::text,
  storage_key text not null,
  created timestamp with time zone not null default now(),
  place integer not null default 1000,
  accepted_text text,
  accepted_place integer,
  removed boolean not null default false,
  UNIQUE (uuid),
  PRIMARY KEY (id),
  FOREIGN KEY (game) REFERENCES game(id)
);
CREATE INDEX game_file_game ON public.game_file USING btree (game);

create table game_report (
  uuid uuid not null default gen_random_uuid(),
  game integer not null,
  reason text not null,
  text text not null,
  reported timestamp with time zone not null default now(),
  closed timestamp with time zone,
  note text not null default ''::text,
  PRIMARY KEY (uuid),
  FOREIGN KEY (game) REFERENCES game(id)
);
CREATE INDEX game_report_closed ON public.game_report USING btree (closed) WHERE (closed IS NOT NULL);
CREATE INDEX game_report_of_game ON public.game_report USING btree (game) WHERE (closed IS NULL);
CREATE INDEX game_report_open ON public.game_report USING btree (reported) WHERE (closed IS NULL);

create table game_watch (
  game integer not null,
  off text[] not null default '{}'::text[],
  raised jsonb not null default '{}'::jsonb,
  due timestamp with time zone not null,
  leased timestamp with time zone,
  attempts integer not null default 0,
  PRIMARY KEY (game),
  FOREIGN KEY (game) REFERENCES game(id)
);
CREATE INDEX game_watch_due ON public.game_watch USING btree (due);

create table garbage (
  key text not null,
  due timestamp with time zone not null,
  leased timestamp with time zone,
  attempts integer not null default 0,
  PRIMARY KEY (key)
);
CREATE INDEX garbage_due ON public.garbage USING btree (due);

create table invitation (
  uuid uuid not null default gen_random_uuid(),
  game integer not null,
  learner uuid not null,
  code_hash bytea not null,
  created timestamp with time zone not null default now(),
  used integer not null default 0,
  last_used timestamp with time zone,
  revoked timestamp with time zone,
  class uuid,
  linked timestamp with time zone,
  UNIQUE (code_hash),
  PRIMARY KEY (uuid),
  FOREIGN KEY (class) REFERENCES class(uuid),
  FOREIGN KEY (game) REFERENCES game(id),
  FOREIGN KEY (learner) REFERENCES learner(uuid)
);
CREATE INDEX invitation_class ON public.invitation USING btree (class) WHERE (class IS NOT NULL);
CREATE INDEX invitation_game ON public.invitation USING btree (game);
CREATE INDEX invitation_learner ON public.invitation USING btree (learner);
CREATE INDEX invitation_revoked ON public.invitation USING btree (revoked) WHERE (revoked IS NOT NULL);

create table launch (
  uuid uuid not null default gen_random_uuid(),
  secret_hash bytea not null,
  game integer not null,
  credential integer not null,
  build integer,
  learner uuid not null,
  registration uuid not null,
  sandbox boolean not null,
  created timestamp with time zone not null default now(),
  expires timestamp with time zone not null,
  events bigint not null default 0,
  network text,
  device uuid,
  UNIQUE (secret_hash),
  PRIMARY KEY (uuid),
  FOREIGN KEY (build) REFERENCES build(id),
  FOREIGN KEY (credential) REFERENCES credential(id),
  FOREIGN KEY (device) REFERENCES device(uuid) ON DELETE SET NULL,
  FOREIGN KEY (game) REFERENCES game(id),
  FOREIGN KEY (learner) REFERENCES learner(uuid)
);
CREATE INDEX launch_device ON public.launch USING btree (device) WHERE (device IS NOT NULL);
CREATE INDEX launch_expires ON public.launch USING btree (expires);
CREATE INDEX launch_learner ON public.launch USING btree (learner);

create table learner (
  uuid uuid not null default gen_random_uuid(),
  game integer not null,
  kind text not null,
  name text not null,
  token_hash bytea,
  created timestamp with time zone not null default now(),
  look_after timestamp with time zone not null default (now() + '30 days'::interval),
  worded boolean not null default false,
  UNIQUE (token_hash),
  PRIMARY KEY (uuid),
  FOREIGN KEY (game) REFERENCES game(id)
);
CREATE INDEX learner_game ON public.learner USING btree (game, kind);
CREATE INDEX learner_look ON public.learner USING btree (look_after) WHERE (kind = 'player'::text);
CREATE INDEX learner_unworded ON public.learner USING btree (game, uuid) WHERE (NOT worded);

create table learner_cursor (
  game integer not null,
  stored bigint not null default 0,
  start bigint,
  PRIMARY KEY (game)
);

create table learner_fact (
  game integer not null,
  actor uuid not null,
  first_day integer not null,
  first_build integer not null,
  last_day integer not null,
  last_build integer not null,
  level uuid,
  completed boolean not null,
  first_at bigint not null default 0,
  last_at bigint not null default 0,
  level_at bigint not null default 0,
  level_stored bigint not null default 0,
  PRIMARY KEY (game, actor)
);

create table learner_level (
  game integer not null,
  actor uuid not null,
  activity uuid not null,
  attempts integer not null,
  completed integer not null,
  first_at bigint not null default 0,
  first_stored bigint not null default 0,
  first_day integer not null default 0,
  first_build integer not null default 0,
  first_completed boolean not null default false,
  first_success boolean,
  PRIMARY KEY (game, actor, activity)
);
CREATE INDEX learner_level_activity ON public.learner_level USING btree (game, activity);

create table learner_seen (
  game integer not null,
  actor uuid not null,
  agent text not null,
  name text not null,
  first bigint not null,
  last bigint not null,
  statements bigint not null,
  sessions bigint not null,
  team boolean not null default false,
  client text,
  PRIMARY KEY (game, actor)
);
CREATE INDEX learner_seen_last ON public.learner_seen USING btree (game, last, actor);
CREATE INDEX learner_seen_team ON public.learner_seen USING btree (game, last, actor) WHERE team;

create table learner_word (
  game integer not null,
  word text not null,
  learner uuid not null,
  PRIMARY KEY (game, word, learner),
  FOREIGN KEY (learner) REFERENCES learner(uuid) ON DELETE CASCADE
);
CREATE INDEX learner_word_learner ON public.learner_word USING btree (learner);

create table leaving_tally (
  game integer not null,
  day integer not null,
  build integer not null,
  activity uuid not null,
  during bigint not null,
  completed bigint not null,
  PRIMARY KEY (game, day, build, activity)
);

create table left_cell (
  game integer not null,
  cell integer not null,
  moved timestamp with time zone not null default now(),
  PRIMARY KEY (game, cell),
  FOREIGN KEY (cell) REFERENCES cell(number)
);

create table lesson (
  uuid uuid not null default gen_random_uuid(),
  class uuid not null,
  game integer not null,
  teacher integer,
  code text,
  network text not null,
  newcomers boolean not null,
  paused boolean not null default false,
  opened timestamp with time zone not null default now(),
  closes timestamp with time zone not null,
  ended timestamp with time zone,
  UNIQUE (code),
  PRIMARY KEY (uuid),
  FOREIGN KEY (class) REFERENCES school_class(uuid) ON DELETE CASCADE,
  FOREIGN KEY (game) REFERENCES game(id),
  FOREIGN KEY (teacher) REFERENCES account(id) ON DELETE SET NULL
);
CREATE INDEX lesson_class ON public.lesson USING btree (class, opened);
CREATE INDEX lesson_closes ON public.lesson USING btree (closes) WHERE (ended IS NULL);

create table lti_attempt (
  registration uuid not null,
  link uuid not null,
  pupil uuid not null,
  learner uuid not null,
  started timestamp with time zone not null default now(),
  score double precision,
  through bigint not null default 0,
  PRIMARY KEY (registration),
  FOREIGN KEY (learner) REFERENCES learner(uuid) ON DELETE CASCADE,
  FOREIGN KEY (link) REFERENCES lti_link(uuid) ON DELETE CASCADE,
  FOREIGN KEY (pupil) REFERENCES pupil(uuid) ON DELETE CASCADE
);
CREATE INDEX lti_attempt_learner ON public.lti_attempt USING btree (learner);
CREATE INDEX lti_attempt_link ON public.lti_attempt USING btree (link, pupil, started);
CREATE INDEX lti_attempt_pupil ON public.lti_attempt USING btree (pupil);

create table lti_context (
  uuid uuid not null default gen_random_uuid(),
  platform uuid not null,
  deployment text not null,
  context text not null,
  class uuid not null,
  members_url text not null default ''::text,
  members_asked timestamp with time zone,
  UNIQUE (platform, deployment, context),
  PRIMARY KEY (uuid),
  FOREIGN KEY (class) REFERENCES school_class(uuid) ON DELETE CASCADE,
  FOREIGN KEY (platform) REFERENCES lti_platform(uuid) ON DELETE CASCADE
);
CREATE INDEX lti_context_class ON public.lti_context USING btree (class);

create table lti_grade (
  uuid uuid not null default gen_random_uuid(),
  link uuid not null,
  pupil uuid not null,
  learner uuid not null,
  rule text not null default ''::text,
  wanted double precision,
  stamp timestamp with time zone not null default now(),
  sent double precision,
  sent_at timestamp with time zone,
  refused boolean not null default false,
  problem text not null default ''::text,
  failures integer not null default 0,
  news timestamp with time zone not null default now(),
  next_attempt timestamp with time zone not null,
  leased timestamp with time zone,
  attempts integer not null default 0,
  UNIQUE (link, pupil),
  PRIMARY KEY (uuid),
  FOREIGN KEY (learner) REFERENCES learner(uuid) ON DELETE CASCADE,
  FOREIGN KEY (link) REFERENCES lti_link(uuid) ON DELETE CASCADE,
  FOREIGN KEY (pupil) REFERENCES pupil(uuid) ON DELETE CASCADE
);
CREATE INDEX lti_grade_learner ON public.lti_grade USING btree (learner);
CREATE INDEX lti_grade_next ON public.lti_grade USING btree (next_attempt) WHERE (next_attempt < 'infinity'::timestamp with time zone);
CREATE INDEX lti_grade_pupil ON public.lti_grade USING btree (pupil);

create table lti_key (
  kid uuid not null default gen_random_uuid(),
  school integer not null,
  private_key bytea not null,
  public_key jsonb not null,
  made timestamp with time zone not null default now(),
  retired timestamp with time zone,
  PRIMARY KEY (kid),
  FOREIGN KEY (school) REFERENCES studio(id) ON DELETE CASCADE
);
CREATE INDEX lti_key_school ON public.lti_key USING btree (school);
CREATE UNIQUE INDEX lti_key_signs ON public.lti_key USING btree (school) WHERE (retired IS NULL);

create table lti_launch (
  uuid uuid not null default gen_random_uuid(),
  token_hash bytea not null,
  platform uuid not null,
  link uuid,
  pupil uuid,
  picking json,
  until timestamp with time zone not null,
  UNIQUE (token_hash),
  PRIMARY KEY (uuid),
  FOREIGN KEY (link) REFERENCES lti_link(uuid) ON DELETE CASCADE,
  FOREIGN KEY (platform) REFERENCES lti_platform(uuid) ON DELETE CASCADE,
  FOREIGN KEY (pupil) REFERENCES pupil(uuid) ON DELETE CASCADE
);
CREATE INDEX lti_launch_link ON public.lti_launch USING btree (link) WHERE (link IS NOT NULL);
CREATE INDEX lti_launch_platform ON public.lti_launch USING btree (platform);
CREATE INDEX lti_launch_pupil ON public.lti_launch USING btree (pupil) WHERE (pupil IS NOT NULL);
CREATE INDEX lti_launch_until ON public.lti_launch USING btree (until);

create table lti_link (
  uuid uuid not null default gen_random_uuid(),
  context uuid not null,
  link text not null,
  title text not null,
  game text not null,
  level text not null,
  attempts smallint not null,
  grading text not null,
  line_item text not null,
  line_items text not null,
  scopes text[] not null,
  launched timestamp with time zone not null default now(),
  made_item text not null default ''::text,
  making timestamp with time zone,
  UNIQUE (context, link),
  PRIMARY KEY (uuid),
  FOREIGN KEY (context) REFERENCES lti_context(uuid) ON DELETE CASCADE,
  CHECK ((grading = ANY (ARRAY['first'::text, 'best'::text, 'last'::text])))
);

create table lti_login (
  state_hash bytea not null,
  platform uuid not null,
  nonce_hash bytea not null,
  asked jsonb not null,
  crowd text not null,
  until timestamp with time zone not null,
  PRIMARY KEY (state_hash),
  FOREIGN KEY (platform) REFERENCES lti_platform(uuid) ON DELETE CASCADE
);
CREATE INDEX lti_login_crowd ON public.lti_login USING btree (crowd, until);
CREATE INDEX lti_login_platform ON public.lti_login USING btree (platform);
CREATE INDEX lti_login_until ON public.lti_login USING btree (until);

create table lti_platform (
  uuid uuid not null default gen_random_uuid(),
  school integer not null,
  name text not null,
  issuer text not null,
  client_id text not null,
  login_url text not null,
  token_url text not null,
  jwks_url text not null,
  deployments text[] not null,
  origins text[] not null,
  created timestamp with time zone not null default now(),
  UNIQUE (school, issuer, client_id),
  PRIMARY KEY (uuid),
  FOREIGN KEY (school) REFERENCES studio(id) ON DELETE CASCADE
);

create table lti_refusal (
  id bigint not null generated always as identity,
  school integer not null,
  platform text not null,
  claim text not null,
  came text not null,
  expected text not null,
  refused timestamp with time zone not null default now(),
  PRIMARY KEY (id),
  FOREIGN KEY (school) REFERENCES studio(id) ON DELETE CASCADE
);
CREATE INDEX lti_refusal_refused ON public.lti_refusal USING btree (refused);
CREATE INDEX lti_refusal_school ON public.lti_refusal USING btree (school, id);

create table lti_registration (
  code_hash bytea not null,
  school integer not null,
  until timestamp with time zone not null,
  PRIMARY KEY (code_hash),
  FOREIGN KEY (school) REFERENCES studio(id) ON DELETE CASCADE
);
CREATE INDEX lti_registration_school ON public.lti_registration USING btree (school);
CREATE INDEX lti_registration_until ON public.lti_registration USING btree (until);

create table mail (
  id bigint not null generated always as identity,
  uuid uuid not null default gen_random_uuid(),
  account integer,
  recipient text not null,
  kind text not null,
  content jsonb,
  link uuid,
  created timestamp with time zone not null default now(),
  attempts integer not null default 0,
  due timestamp with time zone default now(),
  sent timestamp with time zone,
  failure text not null default ''::text,
  leased timestamp with time zone,
  UNIQUE (uuid),
  PRIMARY KEY (id),
  FOREIGN KEY (account) REFERENCES account(id) ON DELETE CASCADE
);
CREATE INDEX mail_account ON public.mail USING btree (account) WHERE (account IS NOT NULL);
CREATE INDEX mail_due ON public.mail USING btree (due) WHERE (due IS NOT NULL);

create table mail_link (
  uuid uuid not null default gen_random_uuid(),
  purpose text not null,
  account integer,
  email text not null,
  data jsonb,
  expires timestamp with time zone not null,
  PRIMARY KEY (uuid),
  FOREIGN KEY (account) REFERENCES account(id) ON DELETE CASCADE,
  CHECK ((purpose = ANY (ARRAY['sign-up'::text, 'verify'::text, 'reset'::text, 'address'::text])))
);
CREATE INDEX mail_link_account ON public.mail_link USING btree (account) WHERE (account IS NOT NULL);
CREATE INDEX mail_link_expires ON public.mail_link USING btree (expires);

create table member (
  studio integer not null,
  account integer not null,
  role text not null,
  joined timestamp with time zone not null default now(),
  PRIMARY KEY (studio, account),
  FOREIGN KEY (account) REFERENCES account(id) ON DELETE CASCADE,
  FOREIGN KEY (studio) REFERENCES studio(id) ON DELETE CASCADE,
  CHECK ((role = ANY (ARRAY['owner'::text, 'developer'::text, 'analyst'::text, 'teacher'::text, 'observer'::text])))
);
CREATE INDEX member_account ON public.member USING btree (account);
CREATE TRIGGER studio_kept AFTER INSERT OR DELETE OR UPDATE ON public.member FOR EACH ROW EXECUTE FUNCTION keep_accounts();

create table member_invitation (
  uuid uuid not null default gen_random_uuid(),
  studio integer not null,
  role text not null,
  email text not null default ''::text,
  code_hash bytea not null,
  created timestamp with time zone not null default now(),
  expires timestamp with time zone not null,
  UNIQUE (code_hash),
  PRIMARY KEY (uuid),
  FOREIGN KEY (studio) REFERENCES studio(id) ON DELETE CASCADE,
  CHECK ((role = ANY (ARRAY['developer'::text, 'analyst'::text, 'teacher'::text, 'observer'::text])))
);
CREATE INDEX member_invitation_studio ON public.member_invitation USING btree (studio);

create table moving (
  game integer not null,
  cell integer not null,
  settling boolean not null default false,
  began timestamp with time zone not null default now(),
  PRIMARY KEY (game)
);

create table muted_notice (
  account integer not null,
  kind text not null,
  PRIMARY KEY (account, kind),
  FOREIGN KEY (account) REFERENCES account(id) ON DELETE CASCADE
);

create table notification (
  id bigint not null generated always as identity,
  uuid uuid not null default gen_random_uuid(),
  account integer not null,
  kind text not null,
  title text not null,
  body text not null,
  path text not null,
  topic text not null default ''::text,
  created timestamp with time zone not null default now(),
  read timestamp with time zone,
  UNIQUE (uuid),
  PRIMARY KEY (id),
  FOREIGN KEY (account) REFERENCES account(id) ON DELETE CASCADE
);
CREATE INDEX notification_of ON public.notification USING btree (account, id);
CREATE INDEX notification_unread ON public.notification USING btree (account) WHERE (read IS NULL);

create table parent_consent (
  pupil uuid not null,
  at timestamp with time zone not null default clock_timestamp(),
  agreed boolean not null,
  on_paper boolean not null,
  version integer not null,
  parent text not null,
  account integer,
  PRIMARY KEY (pupil, at),
  FOREIGN KEY (account) REFERENCES account(id) ON DELETE SET NULL,
  FOREIGN KEY (pupil) REFERENCES pupil(uuid) ON DELETE CASCADE
);

create table parent_link (
  code_hash bytea not null,
  pupil uuid not null,
  used timestamp with time zone,
  PRIMARY KEY (code_hash),
  FOREIGN KEY (pupil) REFERENCES pupil(uuid) ON DELETE CASCADE
);
CREATE INDEX parent_link_pupil ON public.parent_link USING btree (pupil);

create table passkey (
  id integer not null generated always as identity,
  uuid uuid not null default gen_random_uuid(),
  account integer not null,
  credential bytea not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created timestamp with time zone not null default now(),
  used timestamp with time zone,
  UNIQUE (credential),
  UNIQUE (uuid),
  PRIMARY KEY (id),
  FOREIGN KEY (account) REFERENCES account(id) ON DELETE CASCADE
);
CREATE INDEX passkey_account ON public.passkey USING btree (account);

create table personal_token (
  id integer not null generated always as identity,
  uuid uuid not null default gen_random_uuid(),
  studio integer not null,
  account integer not null,
  name text not null,
  hash bytea not null,
  scopes text[] not null,
  created timestamp with time zone not null default now(),
  expires timestamp with time zone not null,
  used timestamp with time zone,
  UNIQUE (hash),
  UNIQUE (uuid),
  PRIMARY KEY (id),
  FOREIGN KEY (studio, account) REFERENCES member(studio, account) ON DELETE CASCADE
);
CREATE INDEX personal_token_expires ON public.personal_token USING btree (expires);
CREATE INDEX personal_token_member ON public.personal_token USING btree (studio, account);

create table placement (
  only_row boolean not null default true,
  changes bigint not null,
  PRIMARY KEY (only_row),
  CHECK (only_row)
);

create table play_choice_day (
  game integer not null,
  thing integer not null,
  day integer not null,
  option integer not null,
  build integer not null,
  chosen bigint not null,
  correct bigint not null,
  wrong bigint not null,
  unlocked bigint not null,
  whole_month boolean not null,
  PRIMARY KEY (game, thing, whole_month, day, option, build)
);

create table play_day (
  game integer not null,
  kind smallint not null,
  day integer not null,
  thing integer not null,
  build integer not null,
  statements bigint not null,
  whole_month boolean not null,
  PRIMARY KEY (game, kind, whole_month, day, thing, build)
);

create table play_option (
  game integer not null,
  thing integer not null,
  number integer not null,
  response text not null,
  name text not null,
  uses bigint not null,
  PRIMARY KEY (game, thing, number)
);

create table play_people (
  game integer not null,
  kind smallint not null,
  thing integer not null,
  build integer not null,
  next integer not null,
  day integer not null,
  latest smallint not null,
  highest smallint not null,
  people bigint not null,
  whole_month boolean not null,
  PRIMARY KEY (game, kind, thing, build, whole_month, day, next, latest, highest)
);

create table play_person (
  game integer not null,
  actor uuid not null,
  thing integer not null,
  kind smallint not null,
  last integer not null,
  days integer[] not null,
  builds integer[] not null,
  counts integer[] not null,
  latest double precision[] not null,
  highest double precision[] not null,
  choices integer[] not null,
  times bigint[] not null default '{}'::bigint[],
  PRIMARY KEY (game, actor, thing, kind)
);
CREATE INDEX play_person_last ON public.play_person USING btree (game, thing, last, actor) WHERE (kind = 1);

create table play_thing (
  game integer not null,
  number integer not null,
  activity uuid not null,
  UNIQUE (game, number),
  PRIMARY KEY (game, activity)
);

create table portal_window (
  bucket text not null,
  owner text not null,
  started timestamp with time zone not null,
  count integer not null,
  PRIMARY KEY (bucket, owner)
);

create table posting (
  stored bigint not null,
  target bigint not null,
  game integer not null,
  term uuid not null,
  PRIMARY KEY (game, term, stored, target)
) with (autovacuum_vacuum_insert_scale_factor=0.02, autovacuum_vacuum_insert_threshold=10000, autovacuum_analyze_scale_factor=0.02, autovacuum_freeze_min_age=0);

create table presence_tally (
  game integer not null,
  build integer not null,
  day integer not null,
  previous integer not null,
  learners bigint not null,
  PRIMARY KEY (game, build, day, previous)
);

create table provider_link (
  provider integer not null,
  subject text not null,
  account integer not null,
  person text not null,
  roles text[] not null default '{}'::text[],
  linked timestamp with time zone not null default now(),
  used timestamp with time zone,
  PRIMARY KEY (provider, subject),
  FOREIGN KEY (account) REFERENCES account(id) ON DELETE CASCADE,
  FOREIGN KEY (provider) REFERENCES sign_in_provider(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX provider_link_account ON public.provider_link USING btree (account, provider);

create table pseudonym_key (
  game integer not null,
  sealed bytea not null,
  PRIMARY KEY (game),
  FOREIGN KEY (game) REFERENCES game(id) ON DELETE CASCADE
);

create table pupil (
  uuid uuid not null default gen_random_uuid(),
  class uuid,
  name text not null,
  alias text not null,
  picture smallint,
  card_hash bytea,
  created timestamp with time zone not null default now(),
  gone timestamp with time zone,
  agreed integer,
  UNIQUE (card_hash),
  PRIMARY KEY (uuid),
  FOREIGN KEY (class) REFERENCES school_class(uuid) ON DELETE CASCADE,
  CHECK (((class IS NULL) = (gone IS NOT NULL)))
);
CREATE INDEX pupil_class ON public.pupil USING btree (class, created);
CREATE INDEX pupil_gone ON public.pupil USING btree (gone) WHERE (gone IS NOT NULL);

create table pupil_identity (
  school integer not null,
  source text not null,
  subject text not null,
  pupil uuid not null,
  PRIMARY KEY (school, source, subject, pupil),
  FOREIGN KEY (pupil) REFERENCES pupil(uuid) ON DELETE CASCADE,
  FOREIGN KEY (school) REFERENCES studio(id) ON DELETE CASCADE
);
CREATE INDEX pupil_identity_pupil ON public.pupil_identity USING btree (pupil);

create table pupil_learner (
  pupil uuid not null,
  game integer not null,
  learner uuid not null,
  PRIMARY KEY (pupil, game),
  FOREIGN KEY (game) REFERENCES game(id),
  FOREIGN KEY (learner) REFERENCES learner(uuid) ON DELETE CASCADE,
  FOREIGN KEY (pupil) REFERENCES pupil(uuid) ON DELETE CASCADE
);
CREATE INDEX pupil_learner_learner ON public.pupil_learner USING btree (learner);

create table recount (
  game integer not null,
  actor uuid not null,
  after bigint not null default 0,
  PRIMARY KEY (game, actor)
);

create table recovery_code (
  account integer not null,
  hash bytea not null,
  PRIMARY KEY (account, hash),
  FOREIGN KEY (account) REFERENCES account(id) ON DELETE CASCADE
);

create table refusal_tally (
  game integer not null,
  day date not null,
  kind uuid not null,
  reason text not null,
  status integer not null,
  request text not null,
  path text not null,
  message text not null,
  count bigint not null,
  last timestamp with time zone not null,
  build integer not null default 0,
  PRIMARY KEY (game, day, kind),
  FOREIGN KEY (game) REFERENCES game(id)
);
CREATE INDEX refusal_tally_day ON public.refusal_tally USING btree (day);

create table reservation_change (
  only_row boolean not null default true,
  changes bigint not null,
  PRIMARY KEY (only_row),
  CHECK (only_row)
);

create table reserved_prefix (
  prefix text not null,
  studio integer not null,
  granted timestamp with time zone not null default now(),
  PRIMARY KEY (prefix),
  FOREIGN KEY (studio) REFERENCES studio(id) ON DELETE CASCADE
);
CREATE INDEX reserved_prefix_studio ON public.reserved_prefix USING btree (studio);

create table retention (
  game integer not null,
  statements integer,
  learners integer,
  sandbox integer,
  next_run timestamp with time zone not null default now(),
  leased timestamp with time zone,
  attempts integer not null default 0,
  PRIMARY KEY (game),
  FOREIGN KEY (game) REFERENCES game(id)
);
CREATE INDEX retention_next ON public.retention USING btree (next_run);

create table retention_run (
  uuid uuid not null default gen_random_uuid(),
  game integer not null,
  started timestamp with time zone not null default now(),
  ended timestamp with time zone,
  statements_before bigint,
  learners_before bigint,
  sandbox_before bigint,
  stopped boolean not null default false,
  counts jsonb,
  PRIMARY KEY (uuid),
  FOREIGN KEY (game) REFERENCES game(id)
);
CREATE INDEX retention_run_game ON public.retention_run USING btree (game, started);

create table return_tally (
  game integer not null,
  day integer not null,
  build integer not null,
  after integer not null,
  learners bigint not null,
  PRIMARY KEY (game, day, build, after)
);

create table returned_statement (
  game integer not null,
  id uuid not null,
  cell integer not null,
  was bigint not null,
  stored bigint not null,
  PRIMARY KEY (game, id)
);

create table review (
  uuid uuid not null default gen_random_uuid(),
  game integer not null,
  build integer not null,
  message text not null default ''::text,
  submitted timestamp with time zone not null default now(),
  decided timestamp with time zone,
  approved boolean,
  note text not null default ''::text,
  withdrawn timestamp with time zone,
  page integer,
  PRIMARY KEY (uuid),
  FOREIGN KEY (build) REFERENCES build(id),
  FOREIGN KEY (game) REFERENCES game(id)
);
CREATE INDEX review_game ON public.review USING btree (game);
CREATE UNIQUE INDEX review_open ON public.review USING btree (game) WHERE ((decided IS NULL) AND (withdrawn IS NULL));
CREATE INDEX review_waiting ON public.review USING btree (submitted, uuid) WHERE ((decided IS NULL) AND (withdrawn IS NULL));

create table roster (
  school integer not null,
  uuid uuid not null default gen_random_uuid(),
  content text not null,
  sent timestamp with time zone not null default now(),
  PRIMARY KEY (school),
  FOREIGN KEY (school) REFERENCES studio(id) ON DELETE CASCADE
);
CREATE INDEX roster_sent ON public.roster USING btree (sent);

create table sandbox_event (
  session uuid not null,
  number bigint not null,
  at timestamp with time zone not null,
  request text not null,
  status integer not null,
  message text not null,
  path text not null,
  reason text not null,
  body text not null,
  statements integer not null default 0,
  rejected boolean not null default false,
  warnings text not null default ''::text,
  PRIMARY KEY (session, number),
  FOREIGN KEY (session) REFERENCES launch(uuid) ON DELETE CASCADE
);

create table saved_view (
  id integer not null generated always as identity,
  uuid uuid not null default gen_random_uuid(),
  game integer not null,
  name text not null,
  page text not null,
  query text not null,
  UNIQUE (uuid),
  PRIMARY KEY (id),
  FOREIGN KEY (game) REFERENCES game(id)
);
CREATE INDEX saved_view_game ON public.saved_view USING btree (game, id);

create table schema_version (
  version integer not null,
  applied timestamp with time zone not null default now(),
  functions text,
  PRIMARY KEY (version)
);

create table school_class (
  uuid uuid not null default gen_random_uuid(),
  school integer not null,
  name text not null,
  created timestamp with time zone not null default now(),
  PRIMARY KEY (uuid),
  FOREIGN KEY (school) REFERENCES studio(id) ON DELETE CASCADE
);
CREATE INDEX school_class_school ON public.school_class USING btree (school, created);

create table seat (
  uuid uuid not null default gen_random_uuid(),
  lesson uuid not null,
  token_hash bytea not null,
  sign smallint not null,
  network text not null,
  asked timestamp with time zone not null default now(),
  let_in timestamp with time zone,
  pupil uuid,
  wrong smallint not null default 0,
  seen timestamp with time zone not null default now(),
  until timestamp with time zone not null,
  ended timestamp with time zone,
  UNIQUE (token_hash),
  PRIMARY KEY (uuid),
  FOREIGN KEY (lesson) REFERENCES lesson(uuid) ON DELETE CASCADE,
  FOREIGN KEY (pupil) REFERENCES pupil(uuid) ON DELETE CASCADE
);
CREATE INDEX seat_ended ON public.seat USING btree (ended) WHERE (ended IS NOT NULL);
CREATE INDEX seat_lesson ON public.seat USING btree (lesson, asked);
CREATE INDEX seat_pupil ON public.seat USING btree (pupil) WHERE (pupil IS NOT NULL);
CREATE INDEX seat_until ON public.seat USING btree (until) WHERE (ended IS NULL);

create table seen_again (
  game integer not null,
  actor uuid not null,
  after bigint not null default 0,
  PRIMARY KEY (game, actor)
);

create table seen_session (
  game integer not null,
  registration uuid not null,
  actor uuid not null,
  first bigint not null,
  last bigint not null,
  began bigint not null,
  ended bigint not null,
  statements bigint not null,
  PRIMARY KEY (game, registration, actor)
);
CREATE INDEX seen_session_actor ON public.seen_session USING btree (game, actor);

create table seen_word (
  game integer not null,
  word text not null,
  actor uuid not null,
  PRIMARY KEY (game, word, actor)
);
CREATE UNIQUE INDEX seen_word_actor ON public.seen_word USING btree (game, actor, word);

create table session_build (
  game integer not null,
  registration uuid not null,
  build integer not null,
  PRIMARY KEY (game, registration)
);

create table sign_in_attempt (
  state bytea not null,
  browser bytea not null,
  provider integer not null,
  redirect_uri text not null,
  nonce text not null,
  verifier text not null,
  next text not null,
  account integer,
  expires timestamp with time zone not null,
  crowd text not null default ''::text,
  PRIMARY KEY (state),
  FOREIGN KEY (account) REFERENCES account(id) ON DELETE CASCADE,
  FOREIGN KEY (provider) REFERENCES sign_in_provider(id) ON DELETE CASCADE
);
CREATE INDEX sign_in_attempt_expires ON public.sign_in_attempt USING btree (expires);

create table sign_in_provider (
  id integer not null generated always as identity,
  uuid uuid not null,
  name text not null,
  label text not null,
  issuer text not null,
  client_id text not null,
  client_secret bytea,
  scopes text[] not null,
  group_claim text not null,
  admin_groups text[] not null,
  reviewer_groups text[] not null,
  studio_groups text[] not null,
  opens boolean not null,
  domains text[] not null,
  created timestamp with time zone not null default now(),
  school integer,
  UNIQUE (name),
  UNIQUE (uuid),
  PRIMARY KEY (id),
  FOREIGN KEY (school) REFERENCES studio(id) ON DELETE SET NULL
);

create table statement (
  stored bigint not null,
  game integer not null,
  credential integer not null,
  id uuid not null,
  actor uuid not null,
  verb uuid not null,
  activity uuid,
  registration uuid,
  target uuid,
  voids boolean not null,
  voided boolean not null default false,
  terms uuid[],
  body text not null,
  PRIMARY KEY (game, stored)
) with (autovacuum_vacuum_insert_scale_factor=0.02, autovacuum_vacuum_insert_threshold=10000, autovacuum_analyze_scale_factor=0.02, autovacuum_freeze_min_age=0);
CREATE INDEX statement_activity ON public.statement USING btree (game, activity, stored) WHERE (activity IS NOT NULL);
CREATE INDEX statement_actor ON public.statement USING btree (game, actor, stored);
CREATE UNIQUE INDEX statement_id ON public.statement USING btree (game, id);
CREATE INDEX statement_registration ON public.statement USING btree (game, registration, stored) WHERE (registration IS NOT NULL);
CREATE INDEX statement_target ON public.statement USING btree (game, target) WHERE (target IS NOT NULL);
CREATE INDEX statement_verb ON public.statement USING btree (game, verb, stored);
CREATE INDEX statement_voids ON public.statement USING btree (game, target, stored) WHERE voids;

create table statement_attachment (
  game integer not null,
  stored bigint not null,
  attachment bigint not null,
  content_type text not null,
  PRIMARY KEY (game, stored, attachment),
  FOREIGN KEY (attachment) REFERENCES attachment(id)
);
CREATE INDEX statement_attachment_content ON public.statement_attachment USING btree (attachment, game, stored);

create table studio (
  id integer not null generated always as identity,
  uuid uuid not null default gen_random_uuid(),
  email text,
  password_hash text not null default ''::text,
  name text not null,
  slug text not null,
  about text not null default ''::text,
  website text not null default ''::text,
  logo text,
  reviewer boolean not null default false,
  quotas jsonb not null default '{}'::jsonb,
  created timestamp with time zone not null default now(),
  trusted boolean not null default false,
  profile integer not null default 1,
  profile_changed timestamp with time zone not null default now(),
  profile_rejected integer,
  profile_note text not null default ''::text,
  accepted_name text,
  accepted_about text,
  accepted_website text,
  accepted_logo text,
  suspended timestamp with time zone,
  suspended_note text not null default ''::text,
  ends timestamp with time zone,
  ended timestamp with time zone,
  zone text not null default 'UTC'::text,
  kind text not null default 'studio'::text,
  parents_text integer,
  UNIQUE (email),
  UNIQUE (slug),
  UNIQUE (uuid),
  PRIMARY KEY (id),
  CHECK ((kind = ANY (ARRAY['studio'::text, 'school'::text])))
);
CREATE INDEX studio_accepted_logo ON public.studio USING btree (accepted_logo) WHERE (accepted_logo IS NOT NULL);
CREATE INDEX studio_ends ON public.studio USING btree (ends) WHERE (ends IS NOT NULL);
CREATE INDEX studio_logo ON public.studio USING btree (logo) WHERE (logo IS NOT NULL);
CREATE INDEX studio_profile_waiting ON public.studio USING btree (profile_changed, id) WHERE ((accepted_name IS NOT NULL) AND ((((name IS DISTINCT FROM accepted_name) OR (about IS DISTINCT FROM accepted_about)) OR (website IS DISTINCT FROM accepted_website)) OR (logo IS DISTINCT FROM accepted_logo)) AND (profile_rejected IS DISTINCT FROM profile));
CREATE TRIGGER account_kept AFTER INSERT ON public.studio FOR EACH ROW WHEN (((new.email IS NOT NULL) AND (pg_trigger_depth() = 0))) EXECUTE FUNCTION keep_accounts();
CREATE TRIGGER account_kept_on_change AFTER UPDATE OF password_hash, reviewer ON public.studio FOR EACH ROW WHEN (((new.email IS NOT NULL) AND (pg_trigger_depth() = 0))) EXECUTE FUNCTION keep_accounts();

create table studio_message (
  uuid uuid not null default gen_random_uuid(),
  studio integer not null,
  sender_name text not null,
  sender_email text not null,
  message text not null,
  sent timestamp with time zone not null default now(),
  PRIMARY KEY (uuid),
  FOREIGN KEY (studio) REFERENCES studio(id) ON DELETE CASCADE
);
CREATE INDEX studio_message_studio ON public.studio_message USING btree (studio, sent);

create table studio_session (
  hash bytea not null,
  studio integer,
  created timestamp with time zone not null default now(),
  used timestamp with time zone not null default now(),
  expires timestamp with time zone not null,
  account integer not null,
  device text not null default ''::text,
  proved timestamp with time zone default now(),
  PRIMARY KEY (hash),
  FOREIGN KEY (account) REFERENCES account(id) ON DELETE CASCADE,
  FOREIGN KEY (studio) REFERENCES studio(id) ON DELETE SET NULL
);
CREATE INDEX studio_session_account ON public.studio_session USING btree (account);
CREATE INDEX studio_session_studio ON public.studio_session USING btree (studio);
CREATE TRIGGER account_of_session BEFORE INSERT ON public.studio_session FOR EACH ROW WHEN ((new.account IS NULL)) EXECUTE FUNCTION keep_accounts();

create table suspended_studio (
  studio integer not null,
  PRIMARY KEY (studio)
);

create table tally_build (
  game integer not null,
  number integer not null,
  name text not null,
  uploaded timestamp with time zone,
  PRIMARY KEY (game, number)
);

create table tally_cursor (
  game integer not null,
  stored bigint not null default 0,
  opened timestamp with time zone not null,
  shown smallint not null default 1,
  zone text not null default 'UTC'::text,
  start bigint,
  definitions integer not null default 0,
  next bigint,
  next_zone text,
  next_start bigint,
  next_definitions integer,
  leaving boolean not null default false,
  cut text,
  next_cut text,
  PRIMARY KEY (game)
);

create table tally_cut (
  game integer not null,
  number integer not null,
  value text not null,
  PRIMARY KEY (game, number)
);

create table tally_name (
  game integer not null,
  key uuid not null,
  iri text not null,
  name text not null,
  type text not null default ''::text,
  contains boolean not null default false,
  PRIMARY KEY (game, key)
);

create table telling (
  base bigint not null,
  step integer not null,
  inserted integer[] storage e,
  texts bytea not null storage e,
  defines integer[] not null storage e,
  defined uuid[] not null storage e,
  definition_key uuid[] not null storage e,
  definition_offset integer[] not null storage e,
  definition_length integer[] not null storage e,
  names integer[] not null storage e,
  named uuid[] not null storage e,
  name_key uuid[] not null storage e,
  name_offset integer[] not null storage e,
  name_length integer[] not null storage e,
  PRIMARY KEY (base)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);

create table tenancy (
  only_row boolean not null default true,
  value text not null,
  since timestamp with time zone not null default now(),
  PRIMARY KEY (only_row),
  CHECK (only_row)
);

create table tenant (
  game integer not null,
  uuid uuid not null,
  studio integer,
  sandbox_of integer,
  cell integer not null default 1,
  version integer not null default 1,
  zone text not null default 'UTC'::text,
  start bigint,
  cut text,
  UNIQUE (sandbox_of),
  UNIQUE (uuid),
  PRIMARY KEY (game),
  FOREIGN KEY (cell) REFERENCES cell(number)
);

create table totp (
  account integer not null,
  secret bytea not null,
  confirmed timestamp with time zone,
  step bigint not null default 0,
  created timestamp with time zone not null default now(),
  PRIMARY KEY (account),
  FOREIGN KEY (account) REFERENCES account(id) ON DELETE CASCADE
);

create table upload (
  uuid uuid not null,
  studio integer not null,
  game integer,
  kind text not null,
  file_name text not null,
  size bigint not null,
  storage_upload text,
  created timestamp with time zone not null default now(),
  expires timestamp with time zone not null,
  channel text not null default 'live'::text,
  version text not null default ''::text,
  notes text not null default ''::text,
  sha256 text not null default ''::text,
  leased timestamp with time zone,
  attempts integer not null default 0,
  PRIMARY KEY (uuid),
  FOREIGN KEY (game) REFERENCES game(id),
  FOREIGN KEY (studio) REFERENCES studio(id),
  CHECK ((channel = ANY (ARRAY['live'::text, 'beta'::text])))
);
CREATE INDEX upload_studio ON public.upload USING btree (studio);

create table used_solution (
  hash bytea not null,
  expires timestamp with time zone not null,
  PRIMARY KEY (hash)
);

create table verb_tally (
  game integer not null,
  day date not null,
  verb uuid not null,
  statements bigint not null,
  PRIMARY KEY (game, day, verb)
);

create table webhook (
  id integer not null generated always as identity,
  uuid uuid not null,
  game integer not null,
  name text not null,
  url text not null,
  host text not null,
  events text[] not null,
  filter jsonb not null,
  secret bytea not null,
  old_secret bytea,
  old_until timestamp with time zone,
  state text not null default 'on'::text,
  failures integer not null default 0,
  failing_since timestamp with time zone,
  problem text not null default ''::text,
  place bigint not null,
  last_delivered timestamp with time zone,
  leased timestamp with time zone,
  next_attempt timestamp with time zone not null default now(),
  created timestamp with time zone not null default now(),
  attempts integer not null default 0,
  UNIQUE (uuid),
  PRIMARY KEY (id),
  FOREIGN KEY (game) REFERENCES game(id) ON DELETE CASCADE,
  CHECK ((state = ANY (ARRAY['on'::text, 'paused'::text, 'off'::text])))
);
CREATE INDEX webhook_due ON public.webhook USING btree (next_attempt) WHERE (state = 'on'::text);
CREATE INDEX webhook_game ON public.webhook USING btree (game, id);

create table webhook_delivery (
  id bigint not null generated always as identity,
  message uuid not null default gen_random_uuid(),
  webhook integer not null,
  event bigint,
  after bigint,
  until bigint,
  filter jsonb,
  statements integer not null default 0,
  again boolean not null default false,
  created timestamp with time zone not null default now(),
  attempts integer not null default 0,
  first_attempt timestamp with time zone,
  last_attempt timestamp with time zone,
  next_attempt timestamp with time zone not null default now(),
  status integer not null default 0,
  problem text not null default ''::text,
  answer text not null default ''::text,
  ended timestamp with time zone,
  delivered boolean not null default false,
  internal boolean not null default false,
  UNIQUE (message),
  PRIMARY KEY (id),
  FOREIGN KEY (event) REFERENCES webhook_event(id) ON DELETE CASCADE,
  FOREIGN KEY (webhook) REFERENCES webhook(id) ON DELETE CASCADE,
  CHECK (((event IS NULL) = (until IS NOT NULL)))
);
CREATE UNIQUE INDEX webhook_delivery_batch ON public.webhook_delivery USING btree (webhook) WHERE ((event IS NULL) AND (ended IS NULL) AND (NOT again));
CREATE INDEX webhook_delivery_created ON public.webhook_delivery USING btree (created);
CREATE INDEX webhook_delivery_event ON public.webhook_delivery USING btree (event);
CREATE INDEX webhook_delivery_open ON public.webhook_delivery USING btree (webhook, next_attempt) WHERE (ended IS NULL);
CREATE INDEX webhook_delivery_webhook ON public.webhook_delivery USING btree (webhook, id);

create table webhook_event (
  id bigint not null generated always as identity,
  game integer not null,
  type text not null,
  data jsonb not null,
  topic text not null default ''::text,
  created timestamp with time zone not null default now(),
  PRIMARY KEY (id),
  FOREIGN KEY (game) REFERENCES game(id) ON DELETE CASCADE
);
CREATE INDEX webhook_event_created ON public.webhook_event USING btree (created);
CREATE INDEX webhook_event_game ON public.webhook_event USING btree (game, type, created);

create table weekly_mail (
  id integer not null generated always as identity,
  uuid uuid not null default gen_random_uuid(),
  studio integer not null,
  account integer not null,
  due timestamp with time zone not null,
  leased timestamp with time zone,
  attempts integer not null default 0,
  UNIQUE (studio, account),
  UNIQUE (uuid),
  PRIMARY KEY (id),
  FOREIGN KEY (studio, account) REFERENCES member(studio, account) ON DELETE CASCADE
);
CREATE INDEX weekly_mail_due ON public.weekly_mail USING btree (due);

create sequence definition_change as bigint;
create sequence erasure as bigint;
create sequence statement_order as bigint;

-- add_cell(p_number integer DEFAULT NULL::integer)
-- advance_order()
-- audit_hash(before bytea, e audit_entry)
-- audit_id(at timestamp with time zone)
-- audit_time(id uuid)
-- change_document(p_credential integer, p_version integer, p_scope uuid, p_registration uuid, p_id_key
--   uuid, p_id text, p_content bytea, p_content_type text, p_etag text, p_agent uuid, p_if_match text[],
--   p_if_none_match text[], p_needs_condition text, p_game integer, p_activity text)
-- change_documents(p_credential integer[], p_version integer[], p_scope uuid[], p_registration uuid[],
--   p_id_key uuid[], p_id text[], p_bytes bytea, p_length integer[], p_content_type text[], p_etag text[],
--   p_agent uuid[], p_if_match text[], p_if_none_match text[], p_needs_condition text[], p_game integer[],
--   p_activity text[])
-- count_document()
-- erase_statements(p_game integer[], p_stored bigint[], OUT statements integer, OUT postings integer, OUT
--   attachments integer)
-- has_shared_tables(p_role name)
-- keep_accounts()
-- keep_attachment(p_id bigint, p_n integer, p_content bytea, p_sha2 bytea, p_size bigint)
-- keep_audit()
-- link_audit()
-- link_references(p_game integer[], p_stored bigint[], p_limited boolean DEFAULT true)
-- links_of(p_of integer, p_request integer[], p_game integer[], p_id uuid[], p_activity uuid[],
--   p_registration uuid[], p_target uuid[], p_terms text[], OUT referrers bigint, OUT links bigint)
-- lock_documents(p_scope uuid)
-- most_definition_bytes()
-- most_definitions()
-- most_links()
-- most_referrers()
-- next_update(p_scope uuid)
-- order_lock(p_cell integer)
-- overlinked(p_request integer[], p_game integer[], p_id uuid[], p_activity uuid[], p_registration uuid[],
--   p_target uuid[], p_terms text[])
-- refuse_leaving()
-- share_tables(p_role name)
-- sweep_audit(days integer, most integer)
-- tell(p_base bigint[], p_definitions_from integer[], p_definitions_to integer[], p_names_from integer[],
--   p_names_to integer[], p_done bigint[])
-- tell_rest(p_before bigint, p_most integer)
-- tell_tenant()
-- this_cell()
-- try_lock_documents(p_scope uuid)
-- write_statements(p_credential integer[], p_version integer[], p_bytes bytea, p_request integer[], p_game
--   integer[], p_offset integer[], p_length integer[], p_id uuid[], p_actor uuid[], p_verb uuid[], p_activity
--   uuid[], p_registration uuid[], p_target uuid[], p_voids boolean[], p_terms text[], p_defines integer[],
--   p_defined uuid[], p_definition_key uuid[], p_definition_offset integer[], p_definition_length integer[],
--   p_names integer[], p_named uuid[], p_name_key uuid[], p_name_offset integer[], p_name_length integer[],
--   p_attached_to integer[], p_attached bigint[], p_attached_offset integer[], p_attached_length integer[],
--   p_erasures bigint, p_definitions bigint, p_step integer DEFAULT 1, p_texts bytea DEFAULT NULL::bytea,
--   p_mentions boolean DEFAULT true, OUT base bigint, OUT inserted integer[], OUT stale integer[], OUT erasures
--   bigint, OUT definitions_before bigint, OUT definitions bigint, OUT told boolean)
