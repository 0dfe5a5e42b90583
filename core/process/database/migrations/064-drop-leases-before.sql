-- No core of the version before 063 runs any more, which read these columns.
drop function if exists keep_leases cascade;
alter table webhook drop column takes;
alter table retention drop column holder, drop column held_until;
alter table erasing drop column held_until;
alter table upload drop column claimed;
alter table garbage drop column claimed;
