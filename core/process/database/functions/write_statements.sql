-- Stores a group of requests in one round trip and one transaction: the requests commit together, each as a whole.
-- Everything runs under the lock of the cell, held until the commit is visible, so commit order is the order of
-- `stored`. The nth statement gets base + n * p_step. With a step of 16, the remainder by 16 is the number of the cell
-- less one, so no two cells assign the same `stored`.
-- Returns: base; the ordinals of new statements; the requests whose credential has changed since the caller looked
-- (they store nothing); the count of erasures; the count of definition changes before and after; whether definitions
-- and names are in the table `telling`, from which tell() writes them after the commit, without the lock. Under the
-- lock are only the rows of statements, their postings, links and attachments, and one of `telling`.
-- Statements whose id has expired (docs/adr/0020-retention.md) are not stored: they count as those that were stored
-- before.
-- Raises LR002 when p_erasures differs from the count of erasures.
create or replace function write_statements(
  p_credential int[], p_version int[],                      -- one entry for each request
  p_bytes bytea,                                            -- bodies, one after the other
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
  -- cores of the version before send none
  p_step int default 1,
  -- definitions and names, one after the other; null, from a core of the version before: they are in p_bytes
  p_texts bytea default null,
  -- whether there are activities without a definition that are not known to be stored
  p_mentions boolean default true,
  out base bigint, out inserted int[], out stale int[], out erasures bigint,
  out definitions_before bigint, out definitions bigint, out told boolean
) language plpgsql as $$
declare
  referring boolean;
  whole boolean;
  changed boolean;
  clock bigint;
  expiring boolean;
  expired int[] := '{}';
begin
  perform pg_advisory_xact_lock(2026, order_lock(this_cell()));
  clock := extract(epoch from clock_timestamp()) * 1000000;
  select
    case p_step when 1 then greatest(clock, o.last_value)
    else greatest(clock, o.last_value) / 16 * 16 + this_cell() - 1 end,
    e.last_value, d.last_value, d.last_value,
    g.stale, g.expiring
  into base, erasures, definitions_before, definitions, stale, expiring
  from statement_order o, erasure e, definition_change d, (
    select coalesce(array_agg(r.n) filter (where c.expires is null), '{}') as stale,
      coalesce(bool_or(c.expires), false) as expiring
    from unnest(p_credential, p_version) with ordinality r (credential, version, n)
    left join lateral (
      select c.expires from credential c
      where c.id = r.credential and c.version = r.version and c.revoked is null offset 0) c on true
  ) g;
  if p_erasures <> erasures then
    raise exception 'something was erased since' using errcode = 'LR002';
  end if;
  perform setval('statement_order', base + cardinality(p_id) * p_step);
  if expiring then
    select coalesce(array_agg(s.n), '{}') into expired from unnest(p_game, p_id) with ordinality s (game, id, n)
    where exists (
      select from expired_statement e where (e.game, e.id) >= (s.game, s.id) and (e.game, e.id) <= (s.game, s.id)
      order by e.game, e.id limit 1);
  end if;

  with new as (
    insert into statement (
      stored, game, credential, id, actor, verb, activity, registration, target, voids, terms, body)
    select base + s.n * p_step, s.game, p_credential[s.request], s.id, s.actor, s.verb, s.activity, s.registration,
           s.target, s.voids, s.terms::uuid[], convert_from(substring(p_bytes from s.start + 1 for s.length), 'UTF8')
    from unnest(
        p_request, p_game, p_offset, p_length, p_id, p_actor, p_verb, p_activity, p_registration, p_target,
        p_voids, p_terms)
      with ordinality s (
        request, game, start, length, id, actor, verb, activity, registration, target, voids, terms, n)
    where s.request <> all (stale) and s.n <> all (expired)
    on conflict (game, id) do nothing
    returning stored, game, id, target, terms
  ),
  posted as (
    insert into posting (stored, target, game, term) select stored, stored, game, unnest(terms) from new
  )
  select coalesce(array_agg(((n.stored - base) / p_step)::int), '{}'),
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

  changed := p_definitions is distinct from definitions and cardinality(array_remove(p_definition_length, null)) > 0;
  if changed then
    definitions := nextval('definition_change');
  end if;
  told := changed or p_mentions or cardinality(p_named) > 0;
  if told then
    insert into telling values (base, p_step, case when not whole then inserted end, coalesce(p_texts, p_bytes),
      p_defines, p_defined, p_definition_key, p_definition_offset, p_definition_length,
      p_names, p_named, p_name_key, p_name_offset, p_name_length);
    if p_texts is null then
      perform tell(array[base], array[1], array[2147483647], array[1], array[2147483647], array[base]);
      told := false;
    end if;
  end if;

  if cardinality(p_attached) > 0 then
    with had as (
      insert into statement_attachment (game, stored, attachment, content_type)
      select p_game[a.n], base + a.n * p_step, a.attachment,
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
    perform link_references(array_agg(p_game[n]), array_agg(base + n * p_step)) from unnest(inserted) n;
  end if;
end
$$;
