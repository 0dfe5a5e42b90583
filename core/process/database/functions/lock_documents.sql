-- Writers of one scope wait for each other, so that `updated` grows in commit order and a reader by `since` misses no
-- change.
create or replace function lock_documents(p_scope uuid) returns void language sql as $$
  select pg_advisory_xact_lock(('x' || substr(replace(p_scope::text, '-', ''), 1, 16))::bit(64)::bigint);
$$;
