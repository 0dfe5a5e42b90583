/** Views of exported statements in DuckDB: their times, and what they say of attempts. */
export const views = [
  `create or replace view timed as
    select *, case when "timestamp" <= stored and "timestamp" >= '2000-01-01' then "timestamp" else stored end as happened
    from statements`,
  `create or replace view said as
    with words as (
      select *, epoch_ms(happened) as moment, cast(happened as date) as day,
        regexp_extract(verb_iri, '^(?:http://adlnet\\.gov/expapi/verbs/|https://w3id\\.org/xapi/(?:adl|adb|seriousgames)/verbs/|https://rage\\.e-ucm\\.es/xapi/seriousgames/verbs/|http://id\\.tincanapi\\.com/verb/|http://activitystrea\\.ms/schema/1\\.0/)([a-z]+)$', 1) as word,
        statement ->> '$.object.definition.type' is not distinct from 'http://adlnet.gov/expapi/activities/cmi.interaction' as asks
      from timed where object_type = 'Activity')
    select * exclude (completion, success), case
        when asks then null
        when word = 'launched' then 1
        when word in ('initialized', 'start', 'started') then 2
        when word = 'attempted' then 4
        when word in ('completed', 'complete') then 8
        when word in ('passed', 'failed') then 16
        when word in ('terminated', 'abandoned', 'exited') then 32
        when completion then 8
      end as mark,
      case when mark >= 8 then coalesce(completion, case when word in ('completed', 'complete', 'passed') then true end)
        end as completed,
      case when mark >= 8 then coalesce(success, case word when 'passed' then true when 'failed' then false end)
        end as success,
      case when mark >= 8 then coalesce(score_scaled, case when score_max > score_min
        and score_raw between score_min and score_max then (score_raw - score_min) / (score_max - score_min) end)
        end as score
    from words`,
  `create or replace table numbered as
    select learner, activity_iri, coalesce(registration, '') as session, moment, mark, completed, success, score,
      case when mark >= 8 then duration_seconds end as stated,
      row_number() over (partition by learner, activity_iri, registration order by moment, mark >= 8, stored) as n
    from said where mark is not null`,
  `create or replace table parted as
    with recursive walk as (
      select learner, activity_iri, session, n, mark as marks, 1 as attempt from numbered where n = 1
      union all
      select s.learner, s.activity_iri, s.session, s.n,
        case when again then s.mark else w.marks | s.mark end, w.attempt + again::int
      from walk w join numbered s on s.learner = w.learner and s.activity_iri = w.activity_iri
        and s.session = w.session and s.n = w.n + 1
      cross join lateral (select (w.marks & s.mark) <> 0 or (s.mark < 8 and w.marks >= 8) as again))
    select learner, activity_iri, attempt, max(moment) as last,
      min(moment) filter (mark < 8) as started, min(moment) filter (mark >= 8) as ended,
      arg_min(stated, n) filter (stated is not null) as stated,
      arg_max(score, n) filter (score is not null) as score,
      coalesce(arg_max(completed, n) filter (completed is not null), false) as completed,
      arg_max(success, n) filter (success is not null) as success
    from walk join numbered using (learner, activity_iri, session, n) group by learner, activity_iri, session, attempt`,
  `create or replace view tries as
    select *, case
        when stated is not null then case when stated <= 86400 then stated end
        when ended - started between 0 and 86400000 then (ended - started) / 1000
      end as seconds
    from parted`,
]
