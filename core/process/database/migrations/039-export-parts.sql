-- The attempt that wrote each object of an export in storage, one after the other: a core that was taken for dead writes
-- nothing that another one reads. The end of an export is the time at which it was asked for.
alter table export_job drop column until, drop column parts;
alter table export_job add column parts int[] not null default '{}';
