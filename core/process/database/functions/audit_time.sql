-- The time in a UUID of version 7.
create or replace function audit_time(id uuid) returns timestamptz language sql immutable as $$
  select to_timestamp(('x' || lpad(left(replace(id::text, '-', ''), 12), 16, '0'))::bit(64)::bigint / 1000.0)
$$;
-- The first id of a time.
create or replace function audit_id(at timestamptz) returns uuid language sql immutable as $$
  select rpad(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0'), 32, '0')::uuid
$$;
