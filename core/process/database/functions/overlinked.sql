-- Returns the requests that exceed the limits of one transaction, counted together with the requests before them.
-- Counting stops at the first such request, and all later ones are returned uncounted. A referring statement gets one
-- link for each key of its target: actor, verb, activity, registration and terms. The arrays are those of
-- write_statements().
create or replace function overlinked(
  p_request int[], p_game int[], p_id uuid[], p_activity uuid[], p_registration uuid[], p_target uuid[], p_terms text[]
) returns int[] language plpgsql as $$
declare
  referring int;
  counted record;
  referrers bigint := 0;
  links bigint := 0;
  beyond int[] := '{}';
begin
  for referring in
    select distinct n.request from unnest(p_request, p_game, p_id, p_target) n (request, game, id, target)
    where n.target is not null
      or (
        select true from statement r
        where r.target is not null and (r.game, r.target) >= (n.game, n.id) and (r.game, r.target) <= (n.game, n.id)
        order by r.game, r.target limit 1)
    order by n.request
  loop
    if cardinality(beyond) = 0 then
      counted := links_of(referring, p_request, p_game, p_id, p_activity, p_registration, p_target, p_terms);
      referrers := referrers + counted.referrers;
      links := links + counted.links;
    end if;
    if referrers > most_referrers() or links > most_links() then
      beyond := beyond || referring;
    end if;
  end loop;
  return beyond;
end
$$;
