-- What is looked at again and again for alerts: each game of a studio.
create table game_watch (
  game int primary key references game (id),
  -- kinds of alerts that the studio has turned off
  off text[] not null default '{}',
  -- alerts that were raised and are not over, with when that was: seconds since 1970
  raised jsonb not null default '{}',
  due timestamptz not null,
  -- until then one core works on it
  leased timestamptz,
  attempts int not null default 0
);
create index game_watch_due on game_watch (due);

-- Members who want the weekly mail of a studio.
create table weekly_mail (
  id int generated always as identity primary key,
  -- of the link that ends it
  uuid uuid not null unique default gen_random_uuid(),
  studio int not null,
  account int not null,
  due timestamptz not null,
  -- until then one core works on it
  leased timestamptz,
  attempts int not null default 0,
  unique (studio, account),
  foreign key (studio, account) references member (studio, account) on delete cascade
);
create index weekly_mail_due on weekly_mail (due);
