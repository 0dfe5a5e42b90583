-- Does change_document() for each entry of the arrays in turn; a later one sees what an earlier one did. The contents
-- follow each other in p_bytes; a null length deletes. Returns 'busy' for a document that another transaction is
-- writing: the caller then changes it in a transaction of its own. No entry waits for a lock, so no deadlocks occur.
create or replace function change_documents(
  p_credential int[], p_version int[], p_scope uuid[], p_registration uuid[], p_id_key uuid[], p_id text[],
  p_bytes bytea, p_length int[], p_content_type text[], p_etag text[], p_agent uuid[],
  p_if_match text[], p_if_none_match text[],                -- literals of text[]
  p_needs_condition text[], p_game int[], p_activity text[]
) returns text[] language plpgsql as $$
declare
  changes text[] := '{}';
  change text;
  start int := 1;
begin
  for i in 1 .. cardinality(p_scope) loop
    if not try_lock_documents(p_scope[i]) or exists (
      select from document where scope = p_scope[i] and registration = p_registration[i] and id_key = p_id_key[i]
    ) and not exists (
      select from document where scope = p_scope[i] and registration = p_registration[i] and id_key = p_id_key[i]
      for update skip locked
    ) then
      change := 'busy';
    else
      change := change_document(
        p_credential[i], p_version[i], p_scope[i], p_registration[i], p_id_key[i], p_id[i],
        case when p_length[i] is not null then substring(p_bytes from start for p_length[i]) end,
        p_content_type[i], p_etag[i], p_agent[i],
        p_if_match[i]::text[], p_if_none_match[i]::text[], p_needs_condition[i], p_game[i], p_activity[i]);
    end if;
    changes := changes || change;
    start := start + coalesce(p_length[i], 0);
  end loop;
  return changes;
end
$$;
