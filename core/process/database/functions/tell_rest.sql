-- Writes rows of table telling that were stored before p_before (microseconds) to the tables of definitions and names,
-- at most p_most of them: a core that was killed has left them, or a core is writing them now. Returns their number.
create or replace function tell_rest(p_before bigint, p_most int) returns int language plpgsql as $$
declare
  rest bigint[];
begin
  select coalesce(array_agg(r.base), '{}') into rest
  from (select t.base from telling t where t.base < p_before order by t.base limit p_most for update) r;
  if cardinality(rest) > 0 then
    perform tell(rest, array_fill(1, array[cardinality(rest)]), array_fill(2147483647, array[cardinality(rest)]),
      array_fill(1, array[cardinality(rest)]), array_fill(2147483647, array[cardinality(rest)]), rest);
  end if;
  return cardinality(rest);
end
$$;
