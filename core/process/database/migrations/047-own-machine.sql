-- A sandbox session of a game that runs on the developer's own machine has no build.
alter table launch alter column build drop not null;
