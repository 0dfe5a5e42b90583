-- How often in a row a target has answered the same statements with 500: it may be one of them.
alter table forward add column server_errors int not null default 0;
