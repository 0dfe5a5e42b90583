-- The accepted columns are the public page of a game; the others are the studio's draft.
alter table game
  add page int not null default 1,     -- counts the changes of name, texts and files; reviews name it
  add accepted_name text,              -- null: never approved
  add accepted_summary text,
  add accepted_description text;

-- A file of the accepted page stays, with its bytes, until another page is accepted.
alter table game_file
  add accepted_text text,              -- null: not on the accepted page
  add accepted_place int,
  add removed boolean not null default false;  -- no longer on the draft

alter table review add page int;       -- game.page when submitted; null: reviews before this version

-- The same for the profile of a studio; it is edited freely until one of its games is approved.
alter table studio
  add trusted boolean not null default false,  -- changes of its profile and published games need no review
  add profile int not null default 1,  -- counts the changes of name, about, website and logo
  add profile_changed timestamptz not null default now(),
  add profile_rejected int,            -- value of `profile` that a reviewer rejected last
  add profile_note text not null default '',
  add accepted_name text,              -- null: no game of it was approved
  add accepted_about text,
  add accepted_website text,
  add accepted_logo text;
create index studio_logo on studio (logo) where logo is not null;
create index studio_accepted_logo on studio (accepted_logo) where accepted_logo is not null;
-- the same condition as isProfileWaiting in core/store/studio-profiles.ts
create index studio_profile_waiting on studio (profile_changed, id) where accepted_name is not null
  and (name, about, website, logo) is distinct from (accepted_name, accepted_about, accepted_website, accepted_logo)
  and profile_rejected is distinct from profile;

update game set accepted_name = name, accepted_summary = summary, accepted_description = description where live_build is not null;
update game_file set accepted_text = text, accepted_place = place where game in (select id from game where live_build is not null);
update studio set accepted_name = name, accepted_about = about, accepted_website = website, accepted_logo = logo
  where id in (select studio from game where live_build is not null);
