-- A time after the last change of the scope, so that its documents change in the order of `updated`.
create or replace function next_update(p_scope uuid) returns bigint language sql as $$
  select greatest((extract(epoch from clock_timestamp()) * 1000000)::bigint, 1 + (
    select updated from document
    where (scope, updated) >= (p_scope, 0) and (scope, updated) <= (p_scope, 9223372036854775807)
    order by scope desc, updated desc limit 1));
$$;
