-- Does the same as lock_documents(), but without waiting; false when another transaction writes.
create or replace function try_lock_documents(p_scope uuid) returns boolean language sql as $$
  select pg_try_advisory_xact_lock(('x' || substr(replace(p_scope::text, '-', ''), 1, 16))::bit(64)::bigint);
$$;
