-- Most definitions of an activity that count, the newest ones, and their bytes together. Otherwise a game that redefines
-- an activity again and again would slow down reads that merge its definitions.
create or replace function most_definitions() returns int language sql immutable as 'select 1000';
create or replace function most_definition_bytes() returns int language sql immutable as 'select 262144';
