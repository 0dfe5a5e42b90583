-- Records the change in bytes of a document. The bytes of a profile count for the game that stored it first.
create or replace function count_document() returns trigger language plpgsql as $$
begin
  insert into game_bytes_change
  select coalesce(new.game, old.game), coalesce(octet_length(new.content), 0) - coalesce(octet_length(old.content), 0)
  where coalesce(new.game, old.game) is not null;
  return null;
end
$$;
create or replace trigger document_written after insert or delete on document
  for each row execute function count_document();
create or replace trigger document_resized after update on document
  for each row when (octet_length(old.content) <> octet_length(new.content)) execute function count_document();
