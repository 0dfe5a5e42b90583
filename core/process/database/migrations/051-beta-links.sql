-- SHA-256 of the code by which people who are no members play the beta, and when it was made.
alter table game add column beta_link bytea unique, add column beta_linked timestamptz;
