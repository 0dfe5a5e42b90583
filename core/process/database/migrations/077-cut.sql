-- By what else the charts of a game can be narrowed: `language`, `platform` or the IRI of an extension; null: nothing.
alter table game add cut text;
alter table tenant add cut text;
alter table tally_cursor add cut text, add next_cut text;

-- Values of it that were sent, with the numbers that stand in place of those of builds. `game`: the key of these counts.
create table tally_cut (
  game int not null,
  number int not null,
  value text not null,
  primary key (game, number)
);
