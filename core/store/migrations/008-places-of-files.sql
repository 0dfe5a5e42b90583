-- Where a file stands among those of its kind; who was never moved stands behind the others, by age.
alter table game_file add column place int not null default 1000;
