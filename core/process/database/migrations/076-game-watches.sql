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
