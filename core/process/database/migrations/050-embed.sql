-- Origins of the pages that may show the game in a frame.
alter table game add column embed text[] not null default '{}';
