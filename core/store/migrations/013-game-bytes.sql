-- Stored bytes of games, and their quotas (core/store/game-bytes.ts).

alter table game add quota bigint;                 -- bytes; null: no limit
create index game_quota on game (id) where quota is not null;

create table game_bytes (
  game int primary key references game,
  stored bigint not null default 0,                -- `stored` of the last counted statement
  statements bigint not null default 0,            -- bytes of bodies up to it, and of attachments, equal contents once
  documents bigint not null default 0              -- bytes of contents
);

-- Changes of document bytes, to be added to game_bytes: separate rows, so that writers do not wait for each other.
create table game_bytes_change (
  game int not null,
  bytes bigint not null
);

-- `document.game` is now set for profiles, too: the game that stored it first, where its bytes count.
create function count_document() returns trigger language plpgsql as $$
begin
  insert into game_bytes_change
  select coalesce(new.game, old.game), coalesce(octet_length(new.content), 0) - coalesce(octet_length(old.content), 0)
  where coalesce(new.game, old.game) is not null;
  return null;
end
$$;
create trigger document_written after insert or delete on document for each row execute function count_document();
create trigger document_resized after update on document for each row
  when (octet_length(old.content) <> octet_length(new.content)) execute function count_document();

insert into game_bytes (game, documents)
select game, sum(octet_length(content)) from document where game is not null group by game;

-- Finds the first statement of a game with a given content.
drop index statement_attachment_content;
create index statement_attachment_content on statement_attachment (attachment, game, stored);
