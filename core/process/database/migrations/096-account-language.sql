-- The language of mails to an account; empty: none was chosen.
alter table account add language text not null default '';
