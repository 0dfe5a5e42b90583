# Run by the service backup: writes the database to a file each night at 2 (UTC) and keeps the last seven.
# Once, now: docker compose -f ops/compose.yaml exec backup sh /backup.sh once
set -u
folder=${BACKUP_FOLDER:-/var/lib/postgresql}

save() {
  file=$folder/lrs-$(date -u +%F-%H%M).dump
  if pg_dump --format=custom --file="$file.part" "$(cat "${DATABASE_URL_FILE:-/run/secrets/database_url}")"; then
    mv "$file.part" "$file"
    ls -1 "$folder"/lrs-*.dump | sort -r | tail -n +8 | while read -r old; do rm "$old"; done
    echo "saved $file"
  else
    rm -f "$file.part"
    echo "the backup failed" >&2
    return 1
  fi
}

if [ "${1:-}" = once ]; then
  save
  exit
fi
while :; do
  now=$(date -u +%s)
  sleep $(((86400 + 7200 - now % 86400) % 86400 + 1))
  save
done
