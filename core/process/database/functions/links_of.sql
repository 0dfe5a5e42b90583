-- Counts the links that the statements of one request would make, and their referrers; exact up to the limits.
create or replace function links_of(
  p_of int,
  p_request int[], p_game int[], p_id uuid[], p_activity uuid[], p_registration uuid[], p_target uuid[], p_terms text[],
  out referrers bigint, out links bigint
) language plpgsql as $$
begin
  with recursive
  -- a stored statement makes no new links
  own as materialized (
    select n.game, n.id, n.target,
      2 + num_nonnulls(n.activity, n.registration) + coalesce(cardinality(n.terms::uuid[]), 0) as keys
    from unnest(p_request, p_game, p_id, p_activity, p_registration, p_target, p_terms)
      n (request, game, id, activity, registration, target, terms)
    where n.request = p_of and (
      select true from statement s
      where (s.game, s.id) >= (n.game, n.id) and (s.game, s.id) <= (n.game, n.id)
      order by s.game, s.id limit 1) is null
  ),
  up (game, origin, id, depth) as (
    select game, id, id, 0 from own
    union all
    select u.game, u.origin, r.id, u.depth + 1 from up u
    cross join lateral (
      (
        select r.id from statement r
        where r.target is not null and (r.game, r.target) >= (u.game, u.id) and (r.game, r.target) <= (u.game, u.id)
        order by r.game, r.target offset 0)
      union all
      select o.id from own o where o.target = u.id) r
    where u.depth < 20 and r.id <> u.origin
  ),
  referrer as materialized (select * from up limit (select count(*) from own) + most_referrers() + 1),
  down (game, origin, id, target, keys, depth) as (
    select game, id, id, target, keys, 0 from own
    union all
    select d.game, d.origin, t.id, t.target, t.keys, d.depth + 1 from down d
    cross join lateral (
      (
        select t.id, t.target,
          2 + num_nonnulls(t.activity, t.registration) + coalesce(cardinality(t.terms), 0) as keys
        from statement t
        where (t.game, t.id) >= (d.game, d.target) and (t.game, t.id) <= (d.game, d.target)
        order by t.game, t.id limit 1)
      union all
      select o.id, o.target, o.keys from own o where o.id = d.target) t
    where d.depth < 20 and t.id <> d.origin
  ),
  pair as (
    select distinct u.id as referrer, d.id as target, d.keys
    from referrer u join down d on d.origin = u.origin where u.id <> d.id
  )
  select (select count(*) from referrer where depth > 0), (select coalesce(sum(keys), 0) from pair)
  into referrers, links;
end
$$;
