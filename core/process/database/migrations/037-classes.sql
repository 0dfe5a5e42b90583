-- Invitations that are made together. `ended`: an end can be undone for a day, then the rows are deleted.
create table class (
  uuid uuid primary key default gen_random_uuid(),
  game int not null references game (id),
  name text not null,
  created timestamptz not null default now(),
  ended timestamptz
);
create index class_game on class (game);
create index class_ended on class (ended) where ended is not null;

-- `linked`: when its link was made; null: by a core of the version before, or no link was shown yet.
alter table invitation add column class uuid references class (uuid), add column linked timestamptz;
create index invitation_class on invitation (class) where class is not null;
create index invitation_revoked on invitation (revoked) where revoked is not null;
