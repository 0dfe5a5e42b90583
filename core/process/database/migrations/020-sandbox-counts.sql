-- The counts of an event, so that nobody reads all bodies of a session to count its statements.
alter table sandbox_event
  add column statements int not null default 0,
  add column rejected boolean not null default false;
