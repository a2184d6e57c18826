#!/bin/bash
# The postgres image runs this once, when its volume is new. It makes Temporal's role, which owns Temporal's two databases, and the
# logins of TreeOS' workers, commands and portal, which own nothing.
set -euo pipefail
psql --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" \
  --set=password="$TEMPORAL_DB_PASSWORD" --set=worker="$WORKER_DB_PASSWORD" --set=people="$PEOPLE_DB_PASSWORD" \
  --set=portal="$PORTAL_DB_PASSWORD" <<'SQL'
create role treeos_app nologin;
create role treeos_worker login password :'worker' in role treeos_app;
create role treeos_people nologin;
create role treeos_commands login password :'people' in role treeos_people;
create role treeos_portal nologin;
create role treeos_web login password :'portal' in role treeos_portal;
create role temporal login createdb password :'password';
create database temporal owner temporal;
create database temporal_visibility owner temporal;
SQL
