-- Mails that wait, were sent or were given up. The content of a sent one is removed; the rest stays for admins to see.
create table mail (
  id bigint generated always as identity primary key,
  uuid uuid not null default gen_random_uuid() unique,
  account int references account (id) on delete cascade,
  recipient text not null,
  kind text not null,
  content jsonb,
  -- the row of mail_link whose link the mail has
  link uuid,
  created timestamptz not null default now(),
  attempts int not null default 0,
  -- when it is tried next; while a core sends it, the end of its claim; null: it was sent or given up
  due timestamptz default now(),
  sent timestamptz,
  failure text not null default ''
);
create index mail_due on mail (due) where due is not null;
create index mail_account on mail (account) where account is not null;

-- What a link in a mail is good for. It works once: its use deletes the row. The address of a link has the id and a
-- signature that is not kept anywhere, so who reads this table can use none of them.
create table mail_link (
  uuid uuid primary key default gen_random_uuid(),
  purpose text not null check (purpose in ('sign-up', 'verify', 'reset', 'address')),
  account int references account (id) on delete cascade,
  email text not null,
  -- of a sign-up: what the account is made of
  data jsonb,
  expires timestamptz not null
);
create index mail_link_account on mail_link (account) where account is not null;
create index mail_link_expires on mail_link (expires);

-- What the header of the portal tells an account.
create table notification (
  id bigint generated always as identity primary key,
  uuid uuid not null default gen_random_uuid() unique,
  account int not null references account (id) on delete cascade,
  kind text not null,
  title text not null,
  body text not null,
  path text not null,
  -- one thing that is told again a week later at the earliest; empty: each one counts
  topic text not null default '',
  created timestamptz not null default now(),
  read timestamptz
);
create index notification_of on notification (account, id);
create index notification_unread on notification (account) where read is null;

-- Kinds of notices that an account gets no mails of.
create table muted_notice (
  account int not null references account (id) on delete cascade,
  kind text not null,
  primary key (account, kind)
);
