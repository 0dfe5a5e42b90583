-- Builds count from 1 for each game: people know them by this number.
alter table build add column number int;
update build b set number = n.number
  from (select id, row_number() over (partition by game order by id) as number from build) n where n.id = b.id;
create unique index build_number on build (game, number);
-- What is known of sessions so far.
insert into session_build (game, registration, build)
  select c.game, l.registration, b.number from launch l join build b on b.id = l.build
    join credential c on c.id = l.credential
  on conflict do nothing;
insert into tally_build (game, number, name, uploaded)
  select distinct c.game, b.number, '', b.created from launch l join build b on b.id = l.build
    join credential c on c.id = l.credential
  on conflict do nothing;
-- The build whose session sent the refused requests; 0: not known.
alter table refusal_tally add column build int not null default 0;
