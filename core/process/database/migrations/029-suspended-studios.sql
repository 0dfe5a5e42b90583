-- Null: the studio is not suspended.
alter table studio add column suspended timestamptz, add column suspended_note text not null default '';
-- What the cell knows of it: credentials of games of these studios are refused.
create table suspended_studio (studio int primary key);
