-- Providers of OpenID Connect with which people sign in.
create table sign_in_provider (
  id int generated always as identity primary key,
  -- the row of the sealed client secret
  uuid uuid not null unique,
  name text not null unique,
  label text not null,
  issuer text not null,
  client_id text not null,
  -- sealed (core/accounts/access/sealed.ts); null: the provider asks for none
  client_secret bytea,
  scopes text[] not null,
  group_claim text not null,
  admin_groups text[] not null,
  reviewer_groups text[] not null,
  studio_groups text[] not null,
  -- unknown people get an account, of these domains only if there are any
  opens boolean not null,
  domains text[] not null,
  created timestamptz not null default now()
);
-- Whom a provider knows as whom: by its `sub`, never by an e-mail address.
create table provider_link (
  provider int not null references sign_in_provider (id) on delete cascade,
  subject text not null,
  account int not null references account (id) on delete cascade,
  -- what the provider calls the person, to show
  person text not null,
  -- what their groups allowed at the last sign-in
  roles text[] not null default '{}',
  linked timestamptz not null default now(),
  used timestamptz,
  primary key (provider, subject)
);
create unique index provider_link_account on provider_link (account, provider);
-- Sign-ins under way: from the start to the return from the provider.
create table sign_in_attempt (
  -- SHA-256 of the state, and of the secret of the browser
  state bytea primary key,
  browser bytea not null,
  provider int not null references sign_in_provider (id) on delete cascade,
  redirect_uri text not null,
  nonce text not null,
  verifier text not null,
  next text not null,
  -- the account to link; null: to sign in
  account int references account (id) on delete cascade,
  expires timestamptz not null
);
create index sign_in_attempt_expires on sign_in_attempt (expires);
-- Roles that the account has only because a provider says so; they go with the group.
alter table account add column provided_roles text[] not null default '{}';
