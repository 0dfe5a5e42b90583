-- Adds the last bytes of a content and returns its id, or the id of an equal content that is stored already. p_id is
-- the content with the earlier bytes; null when there are none. This commit does not wait for the disk: the commit of
-- the statements follows, and waits for both.
create or replace function keep_attachment(
  p_id bigint, p_n int, p_content bytea, p_sha2 bytea, p_size bigint
) returns bigint language plpgsql as $$
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
