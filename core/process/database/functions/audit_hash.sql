-- The hash of an entry that follows one with the hash `before`: over all columns but the address, which is blanked after
-- 30 days. Never change it: existing entries would not match any more. Add a new column at the end, if it is not null.
create or replace function audit_hash(before bytea, e audit_entry) returns bytea language sql immutable as $$
  select sha256(before || convert_to(jsonb_build_array(
    e.position, e.id, e.action, e.actor, e.actor_id, e.actor_name, e.actor_studio, e.token, e.studio, e.subject,
    e.subject_id, e.subject_name, e.outcome, e.request, e.details, e.count)::text, 'UTF8'))
$$;
