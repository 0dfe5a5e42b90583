-- Writing with fewer steps, and without a look at definitions that nobody has changed.

-- Counts changes of definitions, from 1 on, under the lock of the order. What a caller has seen as the newest definition
-- of each activity is still that while the count stands: core/store/write-statements.ts.
create sequence definition_change;
select setval('definition_change', 1);

-- Stores a group of requests in one round trip and one transaction: several requests commit together, each whole.
-- Everything runs under one lock that is held until the commit is visible, so commit order equals `stored` order.
-- Returns the place before the first statement, the ordinals that were new, the requests whose credential changed since
-- the caller looked (nothing of those is stored), the count of erasures, and that of changes of definitions before and
-- after. An error (LR002) when p_erasures is another number than that.
create function write_statements(
  p_credential int[], p_version int[],                      -- one entry for each request
  p_bytes bytea,                                            -- bodies and definitions, one after the other
  p_request int[], p_game int[], p_offset int[], p_length int[],
  p_id uuid[], p_actor uuid[], p_verb uuid[], p_activity uuid[], p_registration uuid[], p_target uuid[], p_voids boolean[],
  p_terms text[],                                           -- literals of uuid[]
  p_defines int[], p_defined uuid[], p_definition_key uuid[], p_definition_offset int[], p_definition_length int[],
  p_names int[], p_named uuid[], p_name_key uuid[], p_name_offset int[], p_name_length int[],
  p_attached_to int[], p_attached bigint[], p_attached_offset int[], p_attached_length int[],
  p_erasures bigint,
  p_definitions bigint,                                     -- the count at which all these definitions were the newest; null: they were not
  out base bigint, out inserted int[], out stale int[], out erasures bigint, out definitions_before bigint, out definitions bigint
) language plpgsql as $$
declare
  referring boolean;
  whole boolean;
  defined uuid[];
begin
  perform pg_advisory_xact_lock(2026, 1);
  select
    setval('statement_order', greatest((extract(epoch from clock_timestamp()) * 1000000)::bigint, o.last_value) + cardinality(p_id)) - cardinality(p_id),
    e.last_value, d.last_value, d.last_value,
    (
      select coalesce(array_agg(r.n), '{}') from unnest(p_credential, p_version) with ordinality r (credential, version, n)
      where not exists (select from credential c where c.id = r.credential and c.version = r.version and c.revoked is null)
    )
  into base, erasures, definitions_before, definitions, stale
  from statement_order o, erasure e, definition_change d;
  if p_erasures <> erasures then
    raise exception 'something was erased since' using errcode = 'LR002';
  end if;

  with new as (
    insert into statement (stored, game, credential, id, actor, verb, activity, registration, target, voids, terms, body)
    select base + s.n, s.game, p_credential[s.request], s.id, s.actor, s.verb, s.activity, s.registration, s.target, s.voids, s.terms::uuid[],
           convert_from(substring(p_bytes from s.start + 1 for s.length), 'UTF8')
    from unnest(p_request, p_game, p_offset, p_length, p_id, p_actor, p_verb, p_activity, p_registration, p_target, p_voids, p_terms)
      with ordinality s (request, game, start, length, id, actor, verb, activity, registration, target, voids, terms, n)
    where s.request <> all (stale)
    on conflict (game, id) do nothing
    returning stored, game, id, target, terms
  ),
  posted as (
    insert into posting (stored, target, game, term) select stored, stored, game, unnest(terms) from new
  )
  -- `offset 0`: one look into the index for each, never a hash of all who refer
  select
    coalesce(array_agg((n.stored - base)::int), '{}'),
    coalesce(bool_or(n.target is not null or exists (select from statement r where r.game = n.game and r.target = n.id offset 0)), false)
  into inserted, referring from new n;

  whole := cardinality(inserted) = cardinality(p_id);
  if cardinality(inserted) = 0 then
    return;
  end if;

  if cardinality(p_defined) > 0 and p_definitions is distinct from definitions then
    with latest as (
      select k.activity, max(k.stored) as stored from activity_definition k
      where k.activity = any (p_defined) and k.definition is not null group by k.activity
    ),
    changed as (
      insert into activity_definition as known (activity, definition_key, definition, stored)
      select d.activity, d.key, convert_from(substring(p_bytes from d.start + 1 for d.length), 'UTF8'), base + d.n
      from (
        select u.activity, u.key, min(u.start) as start, min(u.length) as length, max(u.n) as n,
          count(min(u.start)) over (partition by u.activity) as definitions
        from unnest(p_defines, p_defined, p_definition_key, p_definition_offset, p_definition_length) u (n, activity, key, start, length)
        where whole or u.n = any (inserted)
        group by u.activity, u.key
      ) d
      left join activity_definition k on k.activity = d.activity and k.definition_key = d.key
      left join latest l on l.activity = d.activity
      where k.activity is null or (k.definition is not null and (k.stored < l.stored or d.definitions > 1))
      order by d.activity, d.key
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
    -- the first hundred names of an agent: a Person stays small, whoever gives names to it
    insert into agent_name (agent, name_key, name, stored)
    select a.agent, a.key, convert_from(substring(p_bytes from a.start + 1 for a.length), 'UTF8'), base + a.n
    from (
      select u.agent, u.key, min(u.start) as start, min(u.length) as length, min(u.n) as n,
        row_number() over (partition by u.agent order by min(u.n)) as nth
      from unnest(p_names, p_named, p_name_key, p_name_offset, p_name_length) u (n, agent, key, start, length)
      where whole or u.n = any (inserted)
      group by u.agent, u.key
    ) a
    left join (select agent, count(*) as names from agent_name where agent = any (p_named) group by agent) k on k.agent = a.agent
    where coalesce(k.names, 0) + a.nth <= 100
    order by a.agent, a.key
    on conflict do nothing;
  end if;

  if cardinality(p_attached) > 0 then
    with had as (
      insert into statement_attachment (game, stored, attachment, content_type)
      select p_game[a.n], base + a.n, a.attachment, convert_from(substring(p_bytes from a.start + 1 for a.length), 'UTF8')
      from unnest(p_attached_to, p_attached, p_attached_offset, p_attached_length) a (n, attachment, start, length)
      where whole or a.n = any (inserted)
      on conflict do nothing
      returning attachment
    )
    update attachment set referenced = true where id in (select attachment from had) and not referenced;
  end if;

  if referring then
    perform link_references(array_agg(p_game[n]), array_agg(base + n)) from unnest(inserted) n;
  end if;
end
$$;

-- For cores of the version before, which run on while this step is made.
create or replace function store_statements(
  p_credential int[], p_version int[], p_bytes bytea, p_request int[], p_game int[], p_offset int[], p_length int[],
  p_id uuid[], p_actor uuid[], p_verb uuid[], p_activity uuid[], p_registration uuid[], p_target uuid[], p_voids boolean[], p_terms text[],
  p_defines int[], p_defined uuid[], p_definition_key uuid[], p_definition_offset int[], p_definition_length int[],
  p_names int[], p_named uuid[], p_name_key uuid[], p_name_offset int[], p_name_length int[],
  p_attached_to int[], p_attached bigint[], p_attached_offset int[], p_attached_length int[],
  out base bigint, out inserted int[], out stale int[]
) language sql as $$
  select w.base, w.inserted, w.stale from write_statements(
    p_credential, p_version, p_bytes, p_request, p_game, p_offset, p_length,
    p_id, p_actor, p_verb, p_activity, p_registration, p_target, p_voids, p_terms,
    p_defines, p_defined, p_definition_key, p_definition_offset, p_definition_length,
    p_names, p_named, p_name_key, p_name_offset, p_name_length,
    p_attached_to, p_attached, p_attached_offset, p_attached_length, null, null) w;
$$;
