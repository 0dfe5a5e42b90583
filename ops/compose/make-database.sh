# Run by the image of Postgres when its folder is new: core's database, owned by a role that is no superuser.
psql --username=postgres --set=ON_ERROR_STOP=1 --set=password="$(cat /run/secrets/lrs_password)" <<'SQL'
create role lrs login password :'password';
create database lrs owner lrs encoding 'UTF8' template template0 locale 'C';
SQL
