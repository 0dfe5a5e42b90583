-- Misplaced statements that were brought back to their cell (docs/adr/0019). `was`: their `stored` in the other cell.
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
