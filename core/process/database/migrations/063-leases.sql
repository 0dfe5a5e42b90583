-- One form of a lease in all tables: `leased`, until when a core works on the row, and `attempts`, how often it was
-- taken. While cores of the version before run, functions/keep_leases.sql keeps their columns in step.
alter table webhook add column attempts integer not null default 0;
alter table retention add column leased timestamptz, add column attempts integer not null default 0;
alter table erasing add column leased timestamptz, add column attempts integer not null default 0;
alter table upload add column leased timestamptz, add column attempts integer not null default 0;
alter table garbage add column leased timestamptz, add column attempts integer not null default 0;
alter table mail add column leased timestamptz;
alter table erasing alter column held_until drop not null;
update retention set leased = held_until where held_until is not null;
update erasing set leased = held_until;
update upload set leased = claimed + interval '60 s' where claimed is not null;
update garbage set leased = claimed + interval '10 minutes' where claimed is not null;
