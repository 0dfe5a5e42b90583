-- IRI prefixes that studios have reserved for their activities (core/studio/reserved-prefix.ts).
create table reserved_prefix (
  prefix text primary key,             -- ends with a slash
  studio int not null references studio on delete cascade,
  granted timestamptz not null default now()
);
create index reserved_prefix_studio on reserved_prefix (studio);

-- Counts the changes of reserved_prefix, in one row. Who changes reservations holds it; who has seen the last change
-- need not read the table again.
create table reservation_change (
  only_row boolean primary key default true check (only_row),
  changes bigint not null
);
insert into reservation_change (changes) values (0);

-- LRS_TENANCY as the cores of this store were started with it, in one row; none before the first start. What was kept
-- apart is not shared by accident (core/command/keep-tenancy.ts).
create table tenancy (
  only_row boolean primary key default true check (only_row),
  value text not null,
  since timestamptz not null default now()
);
