-- Cells on servers of their own (docs/adr/0019).
-- Name of the server in LRS_CELL_SERVERS; null: this one. A cell that is not open gets no new games.
alter table cell add server text, add open boolean not null default true;
-- Counts every change, as credential.version does: a copy on another server never goes back to an older one.
alter table tenant add version int not null default 1;
-- Games on their way to a cell on another server. The row goes when the move is done or undone.
create table moving (
  game int primary key,
  cell int not null,
  -- the servers are being told, so the game may be in both cells or in neither
  settling boolean not null default false,
  began timestamptz not null default now()
);
-- these rows are on the server of the game's cell
alter table game_bytes drop constraint game_bytes_game_fkey;
alter table tally_cursor drop constraint tally_cursor_game_fkey;
-- it gets a parameter
drop function if exists add_cell;
