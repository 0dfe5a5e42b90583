-- Deletes statements and everything that finds them: their postings, and the postings of their referrers that led to
-- them or through them. Contents of attachments without a statement are deleted later, with the unreferenced ones.
create or replace function erase_statements(
  p_game int[], p_stored bigint[], out statements int, out postings int, out attachments int
) language plpgsql as $$
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
    select u.game, u.origin, r.stored, r.id, u.depth + 1
    from up u join statement r on r.game = u.game and r.target = u.id where u.depth < 20
  ),
  down (game, origin, stored, target, depth) as (
    select game, stored, stored, target, 0 from gone
    union
    select d.game, d.origin, t.stored, t.target, d.depth + 1
    from down d join statement t on t.game = d.game and t.id = d.target where d.depth < 20
  ),
  pair as (
    select distinct u.game, u.stored as referrer, d.stored as target
    from up u join down d on d.game = u.game and d.origin = u.origin
  ),
  link as (
    select distinct p.game, p.referrer, p.target, term.term
    from pair p join statement t on t.game = p.game and t.stored = p.target
    cross join lateral unnest(array[t.actor, t.verb, t.activity, t.registration] || coalesce(t.terms, '{}')) term (term)
    where term.term is not null
  ),
  unlinked as (
    delete from posting o using link l
    where o.game = l.game and o.term = l.term and o.stored = l.referrer and o.target = l.target returning 1
  )
  select count(*) into postings from unlinked;

  with unattached as (
    delete from statement_attachment a using unnest(p_game, p_stored) n (game, stored)
    where a.game = n.game and a.stored = n.stored returning a.attachment
  )
  select coalesce(array_agg(distinct attachment), '{}') into had from unattached;
  with unwanted as (
    update attachment a set referenced = false, touched = now()
    where a.id = any (had) and not exists (select from statement_attachment l where l.attachment = a.id) returning 1
  )
  select count(*) into attachments from unwanted;

  with erased as (
    delete from statement s using unnest(p_game, p_stored) n (game, stored)
    where s.game = n.game and s.stored = n.stored returning 1
  )
  select count(*) into statements from erased;
  update cell set erased = cell.erased + 1 where number = this_cell();
end
$$;
