-- What a studio says of a build, and the SHA-256 of its package as it was uploaded; empty: not known.
alter table build add column version text not null default '',
  add column notes text not null default '',
  add column sha256 text not null default '',
  -- a replaced live build can become live again until then
  add column kept_until timestamptz;
-- Members of the studio play it before its review. A build is live, staged, beta or replaced: never two of these.
alter table game add column beta_build int references build (id);
-- What the build of an upload will be.
alter table upload add column channel text not null default 'live' check (channel in ('live', 'beta')),
  add column version text not null default '',
  add column notes text not null default '',
  add column sha256 text not null default '';
