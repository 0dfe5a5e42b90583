-- What teachers find a game by, and what visitors report of it (docs/lifecycle.md#the-catalogue).
alter table game
  -- subject, ages, languages, minutes: the draft, and what a reviewer accepted
  add facts jsonb not null default '{}',
  add accepted_facts jsonb not null default '{}',
  -- words and facts of the accepted page, as core/games/rules/catalogue.ts makes them
  add found tsvector;

update game g set found = array_to_tsvector(array(
    select distinct left(word, 64) from regexp_split_to_table(replace(lower(regexp_replace(
      normalize(concat_ws(' ', g.accepted_name, g.accepted_summary, g.accepted_description, coalesce(s.accepted_name, s.name)), nfkd),
      '[\u0300-\u036f]+', '', 'g')), 'ß', 'ss'), '[^[:alnum:]]+') word where word <> ''))
  from studio s where s.id = g.studio and g.accepted_name is not null;
create index game_found on game using gin (found) where published is not null;

create table game_report (
  uuid uuid primary key default gen_random_uuid(),
  game int not null references game,
  reason text not null,
  text text not null,
  reported timestamptz not null default now(),
  -- when an operator closed it; null: it is open
  closed timestamptz,
  note text not null default ''
);
create index game_report_open on game_report (reported) where closed is null;
create index game_report_of_game on game_report (game) where closed is null;
create index game_report_closed on game_report (closed) where closed is not null;
