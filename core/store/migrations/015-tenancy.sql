-- IRI prefixes that studios have reserved for their activities (core/studio/reserved-prefix.ts).
create table reserved_prefix (
  prefix text primary key,             -- ends with a slash
  studio int not null references studio on delete cascade,
  granted timestamptz not null default now()
);
create index reserved_prefix_studio on reserved_prefix (studio);

-- Counts the changes of reserved_prefix, in one row. A change locks it; a core that has seen the last change does not
-- read the table again.
create table reservation_change (
  only_row boolean primary key default true check (only_row),
  changes bigint not null
);
insert into reservation_change (changes) values (0);

-- The last LRS_TENANCY of this store, in one row; no row before the first start. It prevents that names of an isolated
-- store are shared by accident (core/command/keep-tenancy.ts).
create table tenancy (
  only_row boolean primary key default true check (only_row),
  value text not null,
  since timestamptz not null default now()
);
