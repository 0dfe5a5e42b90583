-- How the player shows a game: isolated from other origins, so that it may use threads; held upright or lengthwise.
alter table game add column isolated boolean not null default false,
  add column orientation text not null default '' check (orientation in ('', 'landscape', 'portrait'));
