-- Most links of one transaction: Postgres inserts 2,000 rows of posting in about 10 ms.
create or replace function most_links() returns int language sql immutable as 'select 2000';
-- Most stored statements that refer to new ones, directly or through others: one lookup takes about 10 µs.
create or replace function most_referrers() returns int language sql immutable as 'select 500';
