-- Time zone of the pages of an account, a name of the IANA database; empty: that of the browser.
alter table account add column zone text not null default '';
