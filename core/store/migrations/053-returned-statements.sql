-- Statements that were in the tables of another cell and were brought back (docs/adr/0019). `was` is their `stored` there.
create table returned_statement (
  game int not null,
  id uuid not null,
  cell int not null,
  was bigint not null,
  stored bigint not null,
  primary key (game, id)
);
-- it gets a parameter
drop function if exists link_references;
