-- Games and their credentials. One game is one tenant: statements and state documents never leave it by accident.
create table game (
  id int generated always as identity primary key,
  uuid uuid not null unique default gen_random_uuid(),
  name text not null,
  created timestamptz not null default now()
);

create table credential (
  id int generated always as identity primary key,
  key text not null unique,
  game int not null references game,
  secret_hash bytea not null,          -- SHA-256; the secret itself is nowhere
  authority text not null,             -- JSON of the Agent that stands on its statements
  scopes text[] not null,
  version int not null default 1,      -- counts every change; whoever cached an older one authenticates again
  created timestamptz not null default now(),
  rotated timestamptz,
  revoked timestamptz
);
create unique index credential_of_game on credential (game) where revoked is null;

-- `stored` is the order: unique, increasing, in microseconds since 1970, assigned under one lock (see store_statements).
create sequence statement_order as bigint;

create table statement (
  stored bigint not null,
  game int not null,
  credential int not null,
  id uuid not null,
  actor uuid not null,                 -- keys: first 128 bits of a SHA-256, see core/xapi/identify.ts
  verb uuid not null,
  activity uuid,
  registration uuid,
  target uuid,                         -- id in a StatementRef object
  voids boolean not null,
  voided boolean not null default false,
  terms uuid[],                        -- its own postings, for those who refer to it; null: none
  body text not null,                  -- JSON as it came plus id, authority, timestamp, version; without `stored`
  primary key (game, stored)
);
create unique index statement_id on statement (game, id);
create index statement_actor on statement (game, actor, stored);
create index statement_verb on statement (game, verb, stored);
create index statement_activity on statement (game, activity, stored) where activity is not null;
create index statement_registration on statement (game, registration, stored) where registration is not null;
create index statement_target on statement (game, target) where target is not null;

-- Further terms under which a statement is found: its own (stored = target: group members, related agents and
-- activities) and those of the statements that it refers to (target = their place), so that one filter set is
-- always matched against one and the same statement.
create table posting (
  stored bigint not null,
  target bigint not null,
  game int not null,
  term uuid not null,
  primary key (game, term, stored, target)
);

-- Contents of attachments, each once, however many statements of however many games have it. A content that still
-- arrives has no hash and cannot be found. What no statement has is swept away after an hour.
create table attachment (
  id bigint generated always as identity primary key,
  sha2 bytea unique,                   -- SHA-224, 256, 384 or 512: its length tells which
  size bigint,
  referenced boolean not null default false,
  touched timestamptz not null default now()
);
create index attachment_unreferenced on attachment (touched) where not referenced;

create table attachment_chunk (
  attachment bigint not null references attachment on delete cascade,
  n int not null,
  content bytea not null,
  primary key (attachment, n)
);
alter table attachment_chunk alter column content set storage external;

-- Which statement came with which content: who may read the statement may read the content.
create table statement_attachment (
  game int not null,
  stored bigint not null,
  attachment bigint not null references attachment,
  content_type text not null,
  primary key (game, stored, attachment)
);
create index statement_attachment_content on statement_attachment (attachment, game);

-- Every distinct definition that an activity was given; `stored` is when it was last seen as the newest. Folded on read.
create table activity_definition (
  activity uuid not null,
  definition_key uuid not null,        -- all zeros: named without a definition
  definition text,
  stored bigint not null,
  primary key (activity, definition_key)
);

create table agent_name (
  agent uuid not null,
  name_key uuid not null,              -- all zeros: seen without a name
  name text,
  stored bigint not null,
  primary key (agent, name_key)
);

create table document (
  scope uuid not null,                 -- key of kind + activity, agent or both (+ game for state)
  registration uuid not null,          -- all zeros: none
  id_key uuid not null,
  updated bigint not null,             -- microseconds, increasing within the scope
  id text not null,
  content_type text not null,
  etag text not null,                  -- SHA-1 of the content in hex
  agent uuid,                          -- of state and agent profile
  content bytea not null,
  primary key (scope, registration, id_key)
);
create index document_agent on document (agent) where agent is not null;
alter table document alter column content set storage external;

-- Stores a group of requests in one round trip and one transaction: several requests commit together, each whole.
-- Everything runs under one lock that is held until the commit is visible, so commit order equals `stored` order.
-- Returns the place before the first statement, the ordinals that were new, and the requests whose credential changed
-- since the caller looked (nothing of those is stored).
create function store_statements(
  p_credential int[], p_version int[],                      -- one entry for each request
  p_bytes bytea,                                            -- bodies and definitions, one after the other
  p_request int[], p_game int[], p_offset int[], p_length int[],
  p_id uuid[], p_actor uuid[], p_verb uuid[], p_activity uuid[], p_registration uuid[], p_target uuid[], p_voids boolean[],
  p_terms text[],                                           -- literals of uuid[]
  p_defines int[], p_defined uuid[], p_definition_key uuid[], p_definition_offset int[], p_definition_length int[],
  p_names int[], p_named uuid[], p_name_key uuid[], p_name_offset int[], p_name_length int[],
  p_attached_to int[], p_attached bigint[], p_attached_offset int[], p_attached_length int[],
  out base bigint, out inserted int[], out stale int[]
) language plpgsql as $$
declare
  referring boolean;
  whole boolean;
  defined uuid[];
begin
  perform pg_advisory_xact_lock(2026, 1);
  select greatest((extract(epoch from clock_timestamp()) * 1000000)::bigint, last_value) into base from statement_order;
  perform setval('statement_order', base + cardinality(p_id));

  select coalesce(array_agg(r.n), '{}') into stale
  from unnest(p_credential, p_version) with ordinality r (credential, version, n)
  where not exists (select from credential c where c.id = r.credential and c.version = r.version and c.revoked is null);

  with new as (
    insert into statement (stored, game, credential, id, actor, verb, activity, registration, target, voids, terms, body)
    select base + s.n, s.game, p_credential[s.request], s.id, s.actor, s.verb, s.activity, s.registration, s.target, s.voids, s.terms::uuid[],
           convert_from(substring(p_bytes from s.start + 1 for s.length), 'UTF8')
    from unnest(p_request, p_game, p_offset, p_length, p_id, p_actor, p_verb, p_activity, p_registration, p_target, p_voids, p_terms)
      with ordinality s (request, game, start, length, id, actor, verb, activity, registration, target, voids, terms, n)
    where s.request <> all (stale)
    on conflict (game, id) do nothing
    returning stored, target
  )
  select coalesce(array_agg((stored - base)::int), '{}'), coalesce(bool_or(target is not null), false) into inserted, referring from new;

  whole := cardinality(inserted) = cardinality(p_id);
  if cardinality(inserted) = 0 then
    return;
  end if;

  insert into posting (stored, target, game, term)
  select base + s.n, base + s.n, s.game, unnest(s.terms::uuid[])
  from unnest(p_terms, p_game) with ordinality s (terms, game, n)
  where s.terms is not null and (whole or s.n = any (inserted));

  if cardinality(p_defined) > 0 then
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
    perform forget_definitions(defined);
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

  if not referring then
    select exists (
      select from unnest(p_game, p_id) with ordinality s (game, id, n)
      join statement r on r.game = s.game and r.target = s.id
      where whole or s.n = any (inserted)
    ) into referring;
  end if;
  if referring then
    perform link_references(array_agg(p_game[n]), array_agg(base + n)) from unnest(inserted) n;
  end if;
end
$$;

-- Keeps of each activity the newest definitions: a thousand, of 256 KB together. So neither a
-- write nor the fold on read becomes slow by a game that defines an activity anew all the time.
create function forget_definitions(p_activity uuid[]) returns void language sql as $$
  delete from activity_definition d
  using (
    select activity, definition_key, row_number() over newest as nth, sum(octet_length(definition)) over newest as bytes
    from activity_definition where activity = any (p_activity) and definition is not null
    window newest as (partition by activity order by stored desc, definition_key)
  ) o
  where d.activity = o.activity and d.definition_key = o.definition_key and o.nth > 1 and (o.nth > 1000 or o.bytes > 262144);
$$;

-- Follows StatementRefs from and to new statements: gives every referring statement the terms of all that it reaches
-- (xAPI 1.0.3 Communication 2.1.3, filter conditions for StatementRefs), and voids what is to be voided. Referrers times
-- terms may be many millions, while all other writers wait: beyond a bound nothing is stored (LR001).
create function link_references(p_game int[], p_stored bigint[]) returns void language plpgsql as $$
declare
  most constant int := 20000;
  linked int;
begin
  update statement t set voided = true
  from unnest(p_game, p_stored) n (game, stored) join statement v on v.game = n.game and v.stored = n.stored
  where v.voids and t.game = v.game and t.id = v.target and not t.voids and not t.voided;

  update statement t set voided = true
  from unnest(p_game, p_stored) n (game, stored)
  where t.game = n.game and t.stored = n.stored and not t.voids and not t.voided
    and exists (select from statement v where v.game = t.game and v.target = t.id and v.voids);

  with recursive
  new as (
    select s.game, s.stored, s.id, s.target from unnest(p_game, p_stored) n (game, stored)
      join statement s on s.game = n.game and s.stored = n.stored
      where s.target is not null or exists (select from statement r where r.game = s.game and r.target = s.id)
  ),
  up (game, origin, stored, id, depth) as (
    select game, stored, stored, id, 0 from new
    union
    select u.game, u.origin, r.stored, r.id, u.depth + 1 from up u join statement r on r.game = u.game and r.target = u.id where u.depth < 20
  ),
  down (game, origin, stored, target, depth) as (
    select game, stored, stored, target, 0 from new
    union
    select d.game, d.origin, t.stored, t.target, d.depth + 1 from down d join statement t on t.game = d.game and t.id = d.target where d.depth < 20
  ),
  pair as (
    select distinct u.game, u.stored as referrer, d.stored as target
    from (select * from up limit most + 1) u join down d on d.game = u.game and d.origin = u.origin
    where u.stored <> d.stored
  ),
  link as (
    select p.referrer, p.target, p.game, term.term
    from pair p join statement t on t.game = p.game and t.stored = p.target
    cross join lateral (
      select distinct unnest(array[t.actor, t.verb, t.activity, t.registration] || coalesce(t.terms, '{}'))
    ) term (term)
    where term.term is not null
    limit most + 1
  ),
  linking as (
    insert into posting (stored, target, game, term) select referrer, target, game, term from link on conflict do nothing
  )
  select count(*) into linked from link;
  if linked > most then
    raise exception 'more than % links between statements', most using errcode = 'LR001';
  end if;
end
$$;

-- Moves the order up to the clock, so that readers of an idle store can be told how far they have seen: whoever looks
-- after this sees everything up to the answer, and nothing will be stored below it. Null while somebody writes.
create function advance_order() returns bigint language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock(2026, 1) then return null; end if;
  return setval('statement_order', greatest((extract(epoch from clock_timestamp()) * 1000000)::bigint, (select last_value from statement_order)));
end
$$;

-- Writes or (p_content null) removes one document, if the conditions hold: compare and set in one.
-- A write without conditions is refused by p_needs_condition 'existing' (where there is a document) or 'always'.
-- Answers 'done', 'stale' (the credential changed), 'precondition', 'full' (a list of ids has to stay readable), or, for
-- want of a condition, 'exists' or 'missing'.
create function change_document(
  p_credential int, p_version int, p_scope uuid, p_registration uuid, p_id_key uuid, p_id text,
  p_content bytea, p_content_type text, p_etag text, p_agent uuid, p_if_match text[], p_if_none_match text[], p_needs_condition text
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
    insert into document (scope, registration, id_key, updated, id, content_type, etag, agent, content)
    values (p_scope, p_registration, p_id_key, next_update(p_scope), p_id, p_content_type, p_etag, p_agent, p_content)
    on conflict (scope, registration, id_key) do update
      set updated = excluded.updated, content_type = excluded.content_type, etag = excluded.etag, content = excluded.content;
  end if;
  return 'done';
end
$$;

-- Writers of one scope wait for each other, so that `updated` grows in commit order and `since` misses nothing.
create function lock_documents(p_scope uuid) returns void language sql as $$
  select pg_advisory_xact_lock(('x' || substr(replace(p_scope::text, '-', ''), 1, 16))::bit(64)::bigint);
$$;

create function next_update(p_scope uuid) returns bigint language sql as $$
  select greatest((extract(epoch from clock_timestamp()) * 1000000)::bigint, max(updated) + 1) from document where scope = p_scope;
$$;

-- Ends the arrival of a content with its last bytes and returns its id: that of the same content where it is stored
-- already. p_id: the content whose earlier bytes are stored; null when these are all. Nobody waits for the disk here:
-- the commit of the statements, which follows, does.
create function keep_attachment(p_id bigint, p_n int, p_content bytea, p_sha2 bytea, p_size bigint) returns bigint language plpgsql as $$
declare
  kept bigint;
begin
  perform set_config('synchronous_commit', 'off', true);
  select id into kept from attachment where sha2 = p_sha2;
  if kept is null then
    begin
      if p_id is null then
        insert into attachment default values returning id into p_id;
      end if;
      insert into attachment_chunk values (p_id, p_n, p_content);
      update attachment set sha2 = p_sha2, size = p_size, touched = now() where id = p_id;
      return p_id;
    exception when unique_violation then
      select id into kept from attachment where sha2 = p_sha2;
    end;
  end if;
  update attachment set touched = now() where id = kept and not referenced;
  delete from attachment where id = p_id;
  return kept;
end
$$;
