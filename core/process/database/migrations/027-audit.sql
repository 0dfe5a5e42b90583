-- Who did what, when and from where. Rows are only added; functions/keep_audit.sql refuses changes.
create table audit_entry (
  -- UUID of version 7: the order of ids is that of time
  id uuid primary key default encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
    placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6),
    52, 1), 53, 1), 'hex')::uuid,
  action text not null,                -- core/rpc/audited.ts
  actor text not null,                 -- account, service, stranger
  actor_id text,                       -- UUID of an account, role of a service
  actor_name text,                     -- all names are those of that time
  actor_studio uuid,                   -- the studio for which the account acted
  token text,                          -- name of the personal token, if one was used
  studio uuid,                         -- whose log shows it; no reference: the entry outlives the studio
  subject text,
  subject_id text,
  subject_name text,
  outcome text not null default 'ok',  -- ok, or the reason of the refusal
  address text,                        -- IP address or network; null after 30 days
  request text,                        -- X-Request-Id
  details jsonb not null default '{}',
  count int not null default 1         -- how many times within a minute
);
create index audit_of_studio on audit_entry (studio, id) where studio is not null;
create index audit_address on audit_entry (id) where address is not null;
