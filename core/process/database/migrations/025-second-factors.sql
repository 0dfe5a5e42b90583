-- The secret of an authenticator app; it counts once a code has confirmed it.
create table totp (
  account int primary key references account (id) on delete cascade,
  secret bytea not null,               -- sealed (core/accounts/access/sealed.ts)
  confirmed timestamptz,
  step bigint not null default 0,      -- of the last code that was accepted: none of this or an earlier step is again
  created timestamptz not null default now()
);
create table recovery_code (
  account int not null references account (id) on delete cascade,
  hash bytea not null,                 -- SHA-256 with the account
  primary key (account, hash)
);
create table passkey (
  id int generated always as identity primary key,
  uuid uuid not null unique default gen_random_uuid(),
  account int not null references account (id) on delete cascade,
  credential bytea not null unique,    -- its id, which the authenticator has chosen
  public_key bytea not null,
  counter bigint not null,             -- signatures of the authenticator, if it counts them
  transports text[] not null,
  name text not null,
  created timestamptz not null default now(),
  used timestamptz
);
create index passkey_account on passkey (account);

alter table studio_session
  add column device text not null default '',
  add column proved timestamptz;       -- last sign-in, password or second factor of the session
alter table studio_session alter column proved set default now();
