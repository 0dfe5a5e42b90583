-- Each entry of the audit log has a hash over itself and the hash of the entry before it (functions/link_audit.sql).
alter table audit_entry
  add column position bigint,  -- in the chain, without gaps
  add column hash bytea;       -- SHA-256, see functions/audit_hash.sql
create unique index audit_position on audit_entry (position);
-- The ends of the chain. Who adds an entry locks the row until its commit.
create table audit_chain (
  only_row boolean primary key default true check (only_row),
  position bigint not null default 0,        -- of the last entry
  hash bytea not null default '',
  expired_position bigint not null default 0,  -- of the last entry that was deleted because of its age
  expired_hash bytea not null default ''
);
insert into audit_chain default values;
