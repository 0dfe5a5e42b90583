-- A person who signs in; a studio has any number of them as members.
create table account (
  id int generated always as identity primary key,
  uuid uuid not null default gen_random_uuid() unique,
  email text not null unique,
  email_verified timestamptz,
  -- null: it signs in without a password
  password_hash text,
  name text not null default '',
  reviewer boolean not null default false,
  admin boolean not null default false,
  -- studios that it may own
  may_own int not null default 1,
  created timestamptz not null default now(),
  suspended timestamptz,
  -- the studio that it worked for last
  studio int references studio (id) on delete set null
);
create table member (
  studio int not null references studio (id) on delete cascade,
  account int not null references account (id) on delete cascade,
  role text not null check (role in ('owner', 'developer', 'analyst')),
  joined timestamptz not null default now(),
  primary key (studio, account)
);
create index member_account on member (account);
create index account_studio on account (studio) where studio is not null;

-- nobody signs up until the trigger of keep_accounts() is there
lock table studio, studio_session in share row exclusive mode;
insert into account (email, password_hash, reviewer, created, studio)
select email, password_hash, reviewer, created, id from studio order by id;
insert into member (studio, account, role, joined)
select studio, id, 'owner', created from account;

-- What the version before reads and writes stays, kept by keep_accounts(): email, password_hash and reviewer of studio.
-- Null: no owner of the studio can sign in with the version before.
alter table studio alter column email drop not null, alter column password_hash set default '';

alter table studio_session
  add column account int references account (id) on delete cascade,
  -- null: the account is in no studio
  alter column studio drop not null,
  drop constraint studio_session_studio_fkey,
  add foreign key (studio) references studio (id) on delete set null;
update studio_session n set account = a.id from account a where a.studio = n.studio;
alter table studio_session alter column account set not null;
create index studio_session_account on studio_session (account);
