-- What the public sees of a game is what a reviewer accepted; the other columns are the studio's draft.
alter table game
  add page int not null default 1,     -- counts the changes of name, texts and files: what a reviewer decides on
  add accepted_name text,              -- null: never approved
  add accepted_summary text,
  add accepted_description text;

-- A file of the accepted page stays, with its bytes, until another page is accepted.
alter table game_file
  add accepted_text text,              -- null: not on the accepted page
  add accepted_place int,
  add removed boolean not null default false;  -- not on the draft any more

alter table review add page int;       -- as it was when submitted; null: before there were accepted pages

alter table studio add trusted boolean not null default false;  -- changes of its published games are public at once
create index studio_logo on studio (logo) where logo is not null;

update game set accepted_name = name, accepted_summary = summary, accepted_description = description where live_build is not null;
update game_file set accepted_text = text, accepted_place = place where game in (select id from game where live_build is not null);
