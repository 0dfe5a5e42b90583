-- Links that make an account a member of a studio, once.
create table member_invitation (
  uuid uuid primary key default gen_random_uuid(),
  studio int not null references studio (id) on delete cascade,
  role text not null check (role in ('developer', 'analyst')),
  -- for whom it is; empty: not said
  email text not null default '',
  code_hash bytea not null unique,
  created timestamptz not null default now(),
  expires timestamptz not null
);
create index member_invitation_studio on member_invitation (studio);

-- `ends`: when it is deleted, unless its owner changes their mind. `ended`: the studio was deleted; its games and their
-- statements still name the row.
alter table account add column ends timestamptz;
alter table studio add column ends timestamptz, add column ended timestamptz;
create index account_ends on account (ends) where ends is not null;
create index studio_ends on studio (ends) where ends is not null;
