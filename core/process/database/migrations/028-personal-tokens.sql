-- What a member of a studio gives to the command line or to CI. It ends with the membership.
create table personal_token (
  id int generated always as identity primary key,
  uuid uuid not null unique default gen_random_uuid(),
  studio int not null,
  account int not null,
  name text not null,
  hash bytea not null unique,          -- SHA-256; the token is not stored
  scopes text[] not null,              -- core/accounts/rules/token-scopes.ts
  created timestamptz not null default now(),
  expires timestamptz not null,
  used timestamptz,                    -- last use, written once an hour at most
  foreign key (studio, account) references member (studio, account) on delete cascade
);
create index personal_token_member on personal_token (studio, account);
create index personal_token_expires on personal_token (expires);
