-- Transactions that removed or rewrote statements of the cell. A standby with a lower count still has some of them.
alter table cell add column erased bigint not null default 0;
