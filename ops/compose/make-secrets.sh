#!/bin/sh
# Makes the secrets of ops/compose.yaml, once: sh ops/compose/make-secrets.sh [folder]. Back the folder up.
set -eu
folder=${1:-$(dirname "$0")/../secrets}
if [ -e "$folder" ]; then
  echo "$folder is there already: its secrets stay as they are." >&2
  exit 1
fi
# only the owner enters the folder; the files are readable, because the users of the containers have other numbers
mkdir -m 700 "$folder"
umask 022
random() { openssl rand -base64 32 | tr '+/' '-_' | tr -d '=\n'; }
keep() { printf '%s' "$2" > "$folder/$1"; }

lrs=$(random) gateway=$(random) portal=$(random) player=$(random) admin=$(random)
keep postgres_password "$(random)"
keep lrs_password "$lrs"
keep database_url "postgres://lrs:$lrs@postgres/lrs"
keep signing_key "$(random)"
keep secret_keys "$(random)"
keep storage_key "$(random)"
keep service_tokens "gateway=$gateway,portal=$portal,player=$player,admin=$admin"
keep gateway_token "$gateway"
keep portal_token "$portal"
keep player_token "$player"
