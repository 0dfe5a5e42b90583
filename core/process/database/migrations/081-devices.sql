-- Installed copies of games that are linked with learners (docs/devices.md).
alter table game add devices boolean not null default false, add launch_link text not null default '';

create table device (
  uuid uuid primary key default gen_random_uuid(),
  game int not null references game,
  -- of the device code; as soon as that was traded, of the secret of the device
  secret_hash bytea not null unique,
  -- of the code that the learner types; null: nobody can type it any more
  user_code_hash bytea unique,
  -- null: nobody has allowed it yet
  learner uuid references learner on delete cascade,
  denied boolean not null default false,
  -- when its codes end; null: they were traded
  expires timestamptz,
  -- when the device last asked, and the seconds that it has to wait
  polled timestamptz,
  wait int not null default 5,
  name text not null default '',
  created timestamptz not null default now(),
  last_used timestamptz not null default now()
);
create index device_learner on device (learner, last_used);
create index device_game on device (game, last_used) where expires is null;
create index device_last_used on device (last_used) where expires is null;
create index device_waiting on device (game, expires) where expires is not null;
create index device_expires on device (expires) where expires is not null;

alter table launch add device uuid references device on delete set null;
create index launch_device on launch (device) where device is not null;
