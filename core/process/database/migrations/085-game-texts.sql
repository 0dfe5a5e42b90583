-- Texts of a game in other languages than that of its page, by language: the draft, and what a reviewer accepted.
alter table game add texts jsonb not null default '{}', add accepted_texts jsonb not null default '{}';
-- In which language the learner read what it agreed to; empty: before there were several.
alter table consent add language text not null default '';
