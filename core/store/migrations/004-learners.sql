-- What is held on one agent can be told and erased (core/store/learners.ts, docs/privacy.md).

-- Whose state a document is: its scope is a hash, which tells nothing. Null: a profile.
alter table document add game int, add activity text;

-- Counts erasures, from 1 on. Whoever remembers what is stored has to forget when it moves: core/store/write-statements.ts.
create sequence erasure;
select setval('erasure', 1);

-- How many erasures there were; an error (LR002) when the caller has seen another number. Under the lock of the order, so
-- that every write is wholly before or wholly after each erasure.
create function expect_erasures(p_seen bigint) returns bigint language plpgsql as $$
declare
  erasures bigint;
begin
  select last_value into erasures from erasure;
  if p_seen <> erasures then
    raise exception 'something was erased since' using errcode = 'LR002';
  end if;
  return erasures;
end
$$;

-- Removes statements with all that finds them: their own postings, those of statements that refer to them and of those
-- beyond, which are reached no more. Contents of attachments that nobody else has are left to the sweep.
create function erase_statements(p_game int[], p_stored bigint[], out statements int, out postings int, out attachments int)
language plpgsql as $$
declare
  had bigint[];
begin
  with recursive
  gone as (
    select s.game, s.stored, s.id, s.target from unnest(p_game, p_stored) n (game, stored)
      join statement s on s.game = n.game and s.stored = n.stored
  ),
  up (game, origin, stored, id, depth) as (
    select game, stored, stored, id, 0 from gone
    union
    select u.game, u.origin, r.stored, r.id, u.depth + 1 from up u join statement r on r.game = u.game and r.target = u.id where u.depth < 20
  ),
  down (game, origin, stored, target, depth) as (
    select game, stored, stored, target, 0 from gone
    union
    select d.game, d.origin, t.stored, t.target, d.depth + 1 from down d join statement t on t.game = d.game and t.id = d.target where d.depth < 20
  ),
  pair as (
    select distinct u.game, u.stored as referrer, d.stored as target from up u join down d on d.game = u.game and d.origin = u.origin
  ),
  link as (
    select distinct p.game, p.referrer, p.target, term.term
    from pair p join statement t on t.game = p.game and t.stored = p.target
    cross join lateral unnest(array[t.actor, t.verb, t.activity, t.registration] || coalesce(t.terms, '{}')) term (term)
    where term.term is not null
  ),
  unlinked as (
    delete from posting o using link l where o.game = l.game and o.term = l.term and o.stored = l.referrer and o.target = l.target returning 1
  )
  select count(*) into postings from unlinked;

  with unattached as (
    delete from statement_attachment a using unnest(p_game, p_stored) n (game, stored) where a.game = n.game and a.stored = n.stored returning a.attachment
  )
  select coalesce(array_agg(distinct attachment), '{}') into had from unattached;
  with unwanted as (
    update attachment a set referenced = false, touched = now()
    where a.id = any (had) and not exists (select from statement_attachment l where l.attachment = a.id) returning 1
  )
  select count(*) into attachments from unwanted;

  with erased as (
    delete from statement s using unnest(p_game, p_stored) n (game, stored) where s.game = n.game and s.stored = n.stored returning 1
  )
  select count(*) into statements from erased;
end
$$;

-- As in 001, with the game and the activity of state.
drop function change_document(int, int, uuid, uuid, uuid, text, bytea, text, text, uuid, text[], text[], text);
create function change_document(
  p_credential int, p_version int, p_scope uuid, p_registration uuid, p_id_key uuid, p_id text,
  p_content bytea, p_content_type text, p_etag text, p_agent uuid, p_if_match text[], p_if_none_match text[], p_needs_condition text, p_game int, p_activity text
) returns text language plpgsql as $$
declare
  current text;
  present boolean;
begin
  perform from credential where id = p_credential and version = p_version and revoked is null;
  if not found then return 'stale'; end if;
  perform lock_documents(p_scope);
  select etag into current from document where scope = p_scope and registration = p_registration and id_key = p_id_key;
  present := found;
  if p_if_match is not null and not (present and (p_if_match @> array['*'] or current = any (p_if_match))) then
    return 'precondition';
  end if;
  if p_if_none_match is not null and present and (p_if_none_match @> array['*'] or current = any (p_if_none_match)) then
    return 'precondition';
  end if;
  if p_if_match is null and p_if_none_match is null then
    if present and p_needs_condition <> 'never' then return 'exists'; end if;
    if not present and p_needs_condition = 'always' then return 'missing'; end if;
  end if;
  if p_content is not null and not present and (select count(*) from (select from document where scope = p_scope limit 10000) d) = 10000 then
    return 'full';
  end if;
  if p_content is null then
    delete from document where scope = p_scope and registration = p_registration and id_key = p_id_key;
  else
    insert into document (scope, registration, id_key, updated, id, content_type, etag, agent, content, game, activity)
    values (p_scope, p_registration, p_id_key, next_update(p_scope), p_id, p_content_type, p_etag, p_agent, p_content, p_game, p_activity)
    on conflict (scope, registration, id_key) do update
      set updated = excluded.updated, content_type = excluded.content_type, etag = excluded.etag, content = excluded.content;
  end if;
  return 'done';
end
$$;
