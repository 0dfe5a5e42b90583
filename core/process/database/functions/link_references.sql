-- Links new statements with their referrers and their targets, and marks voided statements.
-- Without limits for those that are brought back from another cell: they were accepted before they had referrers.
create or replace function link_references(p_game int[], p_stored bigint[], p_limited boolean default true)
returns void language plpgsql as $$
declare
  beyond int;
begin
  update statement t set voided = true
  where not t.voids and not t.voided and t.ctid = any (array(
    select o.ctid from unnest(p_game, p_stored) n (game, stored)
    cross join lateral (
      select s.target from statement s
      where (s.game, s.stored) >= (n.game, n.stored) and (s.game, s.stored) <= (n.game, n.stored) and s.voids
      order by s.game, s.stored limit 1) v
    cross join lateral (
      select o.ctid from statement o
      where (o.game, o.id) >= (n.game, v.target) and (o.game, o.id) <= (n.game, v.target)
      order by o.game, o.id limit 1) o));

  update statement t set voided = true
  where not t.voids and not t.voided and t.ctid = any (array(
    select s.ctid from unnest(p_game, p_stored) n (game, stored)
    cross join lateral (
      select s.ctid, s.id from statement s
      where (s.game, s.stored) >= (n.game, n.stored) and (s.game, s.stored) <= (n.game, n.stored)
      order by s.game, s.stored limit 1) s
    cross join lateral (
      select from statement v
      where v.voids and (v.game, v.target) >= (n.game, s.id) and (v.game, v.target) <= (n.game, s.id)
      order by v.game, v.target limit 1) v));

  with recursive
  new as (
    select s.game, s.stored, s.id, s.target from unnest(p_game, p_stored) n (game, stored)
    cross join lateral (
      select s.* from statement s
      where (s.game, s.stored) >= (n.game, n.stored) and (s.game, s.stored) <= (n.game, n.stored)
      order by s.game, s.stored limit 1) s
    where s.target is not null
      or (
        select true from statement r
        where r.target is not null and (r.game, r.target) >= (s.game, s.id) and (r.game, r.target) <= (s.game, s.id)
        order by r.game, r.target limit 1)
  ),
  -- a statement has one target, so each referrer appears once; a circle ends at its origin
  up (game, origin, stored, id, between) as (
    select game, stored, stored, id, '{}'::bigint[] from new
    union all
    select u.game, u.origin, r.stored, r.id, u.between || u.stored from up u
    cross join lateral (
      select r.stored, r.id from statement r
      where r.target is not null and (r.game, r.target) >= (u.game, u.id) and (r.game, r.target) <= (u.game, u.id)
      order by r.game, r.target offset 0) r
    where cardinality(u.between) < 20 and r.stored <> u.origin
  ),
  referrer as materialized (select * from up limit case when p_limited then (select count(*) from new) + most_referrers() + 1 end),
  down (game, origin, stored, target, depth) as (
    select game, stored, stored, target, 0 from new
    union all
    select d.game, d.origin, t.stored, t.target, d.depth + 1 from down d
    cross join lateral (
      select t.stored, t.target from statement t
      where (t.game, t.id) >= (d.game, d.target) and (t.game, t.id) <= (d.game, d.target)
      order by t.game, t.id limit 1) t
    where d.depth < 20 and t.stored <> d.origin
  ),
  -- in a circle a referrer may reach the target before it reaches the new statement: those are linked already
  pair as (
    select distinct u.game, u.stored as referrer, d.stored as target
    from referrer u
    join down d on d.game = u.game and d.origin = u.origin
    where u.stored <> d.stored and (d.stored = d.origin or d.stored <> all (u.between))
  ),
  link as (
    select p.referrer, p.target, p.game, term.term
    from pair p
    cross join lateral (
      select t.* from statement t
      where (t.game, t.stored) >= (p.game, p.target) and (t.game, t.stored) <= (p.game, p.target)
      order by t.game, t.stored limit 1) t
    cross join lateral (
      select distinct unnest(array[t.actor, t.verb, t.activity, t.registration] || coalesce(t.terms, '{}'))
    ) term (term)
    where term.term is not null
    limit case when p_limited then most_links() + 1 end
  ),
  -- a move of a game copies links before it links (core/records/cells/move-game.ts)
  linking as (
    insert into posting (stored, target, game, term) select referrer, target, game, term from link on conflict do nothing)
  select greatest(
    (select count(*) from link) - most_links(),
    (select count(*) from referrer where stored <> origin) - most_referrers())
  into beyond;
  -- other transactions have stored referrers since overlinked() counted
  if p_limited and beyond > 0 then
    raise exception 'too many links between statements' using errcode = 'LR001';
  end if;
end
$$;
