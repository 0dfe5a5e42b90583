-- Every look of a write goes along one index, with any planner statistics (docs/adr/0018).

-- Finds the statements that void one, without reading all that refer to it.
create index statement_voids on statement (game, target, stored) where voids;
-- Includes revoked credentials: their statements keep their authority.
create index credential_game on credential (game);
-- For the last change in a scope, and for the changes since a time.
create index document_updated on document (scope, updated);
-- For the gallery and the list of reviews, each in its order.
drop index game_published;
create index game_published on game (published, id) where published is not null;
create index review_waiting on review (submitted, uuid) where decided is null and withdrawn is null;

-- Rows are only added. Autovacuum runs after every 2 % of new rows, and freezes them while they are still in memory.
-- Then an index-only scan does not read the table.
alter table statement set (
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_freeze_min_age = 0);
alter table posting set (
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_freeze_min_age = 0);
alter table agent_name set (autovacuum_analyze_scale_factor = 0.02);

-- As in 005.
create or replace function write_statements(
  p_credential int[], p_version int[],                      -- one entry for each request
  p_bytes bytea,                                            -- bodies and definitions, one after the other
  p_request int[], p_game int[], p_offset int[], p_length int[],
  p_id uuid[], p_actor uuid[], p_verb uuid[], p_activity uuid[], p_registration uuid[], p_target uuid[],
  p_voids boolean[],
  p_terms text[],                                           -- literals of uuid[]
  p_defines int[], p_defined uuid[], p_definition_key uuid[], p_definition_offset int[], p_definition_length int[],
  p_names int[], p_named uuid[], p_name_key uuid[], p_name_offset int[], p_name_length int[],
  p_attached_to int[], p_attached bigint[], p_attached_offset int[], p_attached_length int[],
  p_erasures bigint,
  -- the count of definition_change at which all these definitions were the newest; null: they were not
  p_definitions bigint,
  out base bigint, out inserted int[], out stale int[], out erasures bigint,
  out definitions_before bigint, out definitions bigint
) language plpgsql as $$
declare
  referring boolean;
  whole boolean;
  defined uuid[];
begin
  perform pg_advisory_xact_lock(2026, 1);
  select
    setval('statement_order',
      greatest((extract(epoch from clock_timestamp()) * 1000000)::bigint, o.last_value) + cardinality(p_id)
    ) - cardinality(p_id),
    e.last_value, d.last_value, d.last_value,
    (
      select coalesce(array_agg(r.n), '{}')
      from unnest(p_credential, p_version) with ordinality r (credential, version, n)
      where not exists (
        select from credential c where c.id = r.credential and c.version = r.version and c.revoked is null offset 0)
    )
  into base, erasures, definitions_before, definitions, stale
  from statement_order o, erasure e, definition_change d;
  if p_erasures <> erasures then
    raise exception 'something was erased since' using errcode = 'LR002';
  end if;

  with new as (
    insert into statement (
      stored, game, credential, id, actor, verb, activity, registration, target, voids, terms, body)
    select base + s.n, s.game, p_credential[s.request], s.id, s.actor, s.verb, s.activity, s.registration, s.target,
           s.voids, s.terms::uuid[], convert_from(substring(p_bytes from s.start + 1 for s.length), 'UTF8')
    from unnest(
        p_request, p_game, p_offset, p_length, p_id, p_actor, p_verb, p_activity, p_registration, p_target,
        p_voids, p_terms)
      with ordinality s (
        request, game, start, length, id, actor, verb, activity, registration, target, voids, terms, n)
    where s.request <> all (stale)
    on conflict (game, id) do nothing
    returning stored, game, id, target, terms
  ),
  posted as (
    insert into posting (stored, target, game, term) select stored, stored, game, unnest(terms) from new
  )
  select coalesce(array_agg((n.stored - base)::int), '{}'),
    -- only one index has this order
    coalesce(bool_or(n.target is not null
      or (
        select true from statement r
        where r.target is not null and (r.game, r.target) >= (n.game, n.id) and (r.game, r.target) <= (n.game, n.id)
        order by r.game, r.target limit 1)), false)
  into inserted, referring from new n;

  whole := cardinality(inserted) = cardinality(p_id);
  if cardinality(inserted) = 0 then
    return;
  end if;

  if cardinality(p_defined) > 0 and p_definitions is distinct from definitions then
    with told as (
      select u.activity, u.key, min(u.start) as start, min(u.length) as length, max(u.n) as n
      from unnest(p_defines, p_defined, p_definition_key, p_definition_offset, p_definition_length)
        u (n, activity, key, start, length)
      where whole or u.n = any (inserted)
      group by u.activity, u.key
    ),
    changed as (
      insert into activity_definition as known (activity, definition_key, definition, stored)
      select a.activity, d.key, convert_from(substring(p_bytes from d.start + 1 for d.length), 'UTF8'), base + d.n
      -- one row holds an activity and its definitions: a join of the two would compare every pair
      from (
        select activity, count(start) as definitions, array_agg(key) as keys, array_agg(start) as starts,
          array_agg(length) as lengths, array_agg(n) as ns
        from told group by activity
      ) a
      cross join lateral (
        select max(k.stored) as stored from activity_definition k
        where k.activity = a.activity and k.definition is not null offset 0) latest
      cross join lateral unnest(a.keys, a.starts, a.lengths, a.ns) d (key, start, length, n)
      left join lateral (
        select true as there, k.definition, k.stored from activity_definition k
        where k.activity = a.activity and k.definition_key = d.key offset 0) k on true
      where k.there is null or (k.definition is not null and (k.stored < latest.stored or a.definitions > 1))
      order by a.activity, d.key
      on conflict (activity, definition_key) do update set stored = excluded.stored where excluded.stored > known.stored
      returning activity, definition
    )
    select array_agg(distinct activity) into defined from changed where definition is not null;
    if defined is not null then
      definitions := nextval('definition_change');
      perform forget_definitions(defined);
    end if;
  end if;

  if cardinality(p_named) > 0 then
    -- only the first hundred names of an agent, so that a Person stays small
    insert into agent_name (agent, name_key, name, stored)
    select a.agent, d.key, convert_from(substring(p_bytes from d.start + 1 for d.length), 'UTF8'), base + d.n
    from (
      select u.agent, array_agg(u.key order by u.n) as keys, array_agg(u.start order by u.n) as starts,
        array_agg(u.length order by u.n) as lengths, array_agg(u.n order by u.n) as ns
      from (
        select u.agent, u.key, min(u.start) as start, min(u.length) as length, min(u.n) as n
        from unnest(p_names, p_named, p_name_key, p_name_offset, p_name_length) u (n, agent, key, start, length)
        where whole or u.n = any (inserted)
        group by u.agent, u.key
      ) u
      group by u.agent
    ) a
    cross join lateral (select count(*) as names from (select from agent_name k where k.agent = a.agent limit 100) k) k
    cross join lateral unnest(a.keys, a.starts, a.lengths, a.ns) with ordinality d (key, start, length, n, nth)
    where k.names + d.nth <= 100
    order by a.agent, d.key
    on conflict do nothing;
  end if;

  if cardinality(p_attached) > 0 then
    with had as (
      insert into statement_attachment (game, stored, attachment, content_type)
      select p_game[a.n], base + a.n, a.attachment,
        convert_from(substring(p_bytes from a.start + 1 for a.length), 'UTF8')
      from unnest(p_attached_to, p_attached, p_attached_offset, p_attached_length)
        a (n, attachment, start, length)
      where whole or a.n = any (inserted)
      on conflict do nothing
      returning attachment
    )
    update attachment set referenced = true where id = any (array(select attachment from had)) and not referenced;
  end if;

  if referring then
    perform link_references(array_agg(p_game[n]), array_agg(base + n)) from unnest(inserted) n;
  end if;
end
$$;

-- As in 001, but every look goes along one index.
create or replace function link_references(p_game int[], p_stored bigint[]) returns void language plpgsql as $$
declare
  most constant int := 20000;
  linked int;
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
  up (game, origin, stored, id, depth) as (
    select game, stored, stored, id, 0 from new
    union
    select u.game, u.origin, r.stored, r.id, u.depth + 1 from up u
    cross join lateral (
      select r.stored, r.id from statement r
      where r.target is not null and (r.game, r.target) >= (u.game, u.id) and (r.game, r.target) <= (u.game, u.id)
      order by r.game, r.target offset 0) r
    -- a circle ends where it began
    where u.depth < 20 and r.stored <> u.origin
  ),
  down (game, origin, stored, target, depth) as (
    select game, stored, stored, target, 0 from new
    union
    select d.game, d.origin, t.stored, t.target, d.depth + 1 from down d
    cross join lateral (
      select t.stored, t.target from statement t
      where (t.game, t.id) >= (d.game, d.target) and (t.game, t.id) <= (d.game, d.target)
      order by t.game, t.id limit 1) t
    where d.depth < 20 and t.stored <> d.origin
  ),
  pair as (
    select distinct u.game, u.stored as referrer, d.stored as target
    from (select * from up limit most + 1) u join down d on d.game = u.game and d.origin = u.origin
    where u.stored <> d.stored
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
    limit most + 1
  ),
  linking as (
    insert into posting (stored, target, game, term)
    select referrer, target, game, term from link on conflict do nothing
  )
  select greatest((select count(*) from link), (select count(*) from (select from up limit most + 1) u)) into linked;
  if linked > most then
    raise exception 'more than % links between statements', most using errcode = 'LR001';
  end if;
end
$$;

-- Documents of one scope change in the order of `updated`: the last entry of an index is the last change.
create or replace function next_update(p_scope uuid) returns bigint language sql as $$
  select greatest((extract(epoch from clock_timestamp()) * 1000000)::bigint, 1 + (
    select updated from document
    where (scope, updated) >= (p_scope, 0) and (scope, updated) <= (p_scope, 9223372036854775807)
    order by scope desc, updated desc limit 1));
$$;
