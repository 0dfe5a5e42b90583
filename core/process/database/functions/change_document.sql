-- Writes one document, or deletes it (p_content null), if the conditions hold.
-- p_needs_condition refuses a write without conditions: 'existing' where there is a document, 'always' in any case.
-- Returns 'done', 'stale' (the credential has changed), 'precondition' (a condition does not hold), 'full' (10,000
-- documents in the scope), or, when a condition is required and none was sent, 'exists' or 'missing'.
create or replace function change_document(
  p_credential int, p_version int, p_scope uuid, p_registration uuid, p_id_key uuid, p_id text,
  p_content bytea, p_content_type text, p_etag text, p_agent uuid, p_if_match text[], p_if_none_match text[],
  p_needs_condition text, p_game int, p_activity text
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
  if p_content is not null and not present
    and (select count(*) from (select from document where scope = p_scope limit 10000) d) = 10000
  then
    return 'full';
  end if;
  if p_content is null then
    delete from document where scope = p_scope and registration = p_registration and id_key = p_id_key;
  else
    insert into document (scope, registration, id_key, updated, id, content_type, etag, agent, content, game, activity)
    values (
      p_scope, p_registration, p_id_key, next_update(p_scope), p_id, p_content_type, p_etag, p_agent, p_content,
      p_game, p_activity)
    on conflict (scope, registration, id_key) do update
      set updated = excluded.updated, content_type = excluded.content_type, etag = excluded.etag,
        content = excluded.content;
  end if;
  return 'done';
end
$$;
