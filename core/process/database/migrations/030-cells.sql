-- Several orders of statements in one database (docs/adr/0019).
create table cell (
  number int primary key check (number between 1 and 16),
  added timestamptz not null default now()
);
insert into cell values (1);
alter table tenant add cell int not null default 1 references cell;
-- Counts cells that were added and games that were moved. Who reads several cells compares it before and after.
create table placement (
  only_row boolean primary key default true check (only_row),
  changes bigint not null
);
insert into placement values (true, 0);
-- The rows of a game in the cell that it left. Reads that began before the move may still use them for a while.
create table left_cell (
  game int not null,
  cell int not null references cell,
  moved timestamptz not null default now(),
  primary key (game, cell)
);
-- it gets another parameter
drop function if exists write_statements;
