-- What players did with things, also by whole months, so that a long range reads few rows. `day` of a month is its
-- first day. People of a month are those whose next day is after it.
alter table play_day add column whole_month boolean not null default false;
alter table play_choice_day add column whole_month boolean not null default false;
alter table play_people add column whole_month boolean not null default false;
alter table play_day alter column whole_month drop default;
alter table play_choice_day alter column whole_month drop default;
alter table play_people alter column whole_month drop default;
alter table play_day drop constraint play_day_pkey, add primary key (game, kind, whole_month, day, thing, build);
alter table play_choice_day drop constraint play_choice_day_pkey,
  add primary key (game, thing, whole_month, day, option, build);
alter table play_people drop constraint play_people_pkey,
  add primary key (game, kind, thing, build, whole_month, day, next, latest, highest);

create function pg_temp.month_of(day int) returns int language sql immutable as
  $$ select date_trunc('month', timestamp '1970-01-01' + day * interval '1 day')::date - date '1970-01-01' $$;
create function pg_temp.month_after(day int) returns int language sql immutable as
  $$ select (date_trunc('month', timestamp '1970-01-01' + day * interval '1 day') + interval '1 month')::date
    - date '1970-01-01' $$;
insert into play_day (game, kind, whole_month, day, thing, build, statements)
select game, kind, true, pg_temp.month_of(day), thing, build, sum(statements) from play_day group by 1, 2, 4, 5, 6;
insert into play_choice_day (game, thing, whole_month, day, option, build, chosen, correct, wrong, unlocked)
select game, thing, true, pg_temp.month_of(day), option, build, sum(chosen), sum(correct), sum(wrong), sum(unlocked)
from play_choice_day group by 1, 2, 4, 5, 6;
insert into play_people (game, kind, thing, build, whole_month, day, next, latest, highest, people)
select game, kind, thing, build, true, pg_temp.month_of(day), next, latest, highest, sum(people)
from play_people where next >= pg_temp.month_after(day) group by 1, 2, 3, 4, 6, 7, 8, 9;
