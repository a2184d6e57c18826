#!/bin/sh
# Run at each start: makes Temporal's tables in a new database, brings older ones up to date, leaves current ones alone.
# The tool reads where the database is from SQL_*.
set -eu
schema=/etc/temporal/schema/postgresql/v12
for database in temporal temporal_visibility; do
  temporal-sql-tool --database "$database" setup-schema --version 0.0
  temporal-sql-tool --database "$database" update-schema --schema-dir "$schema/${database#temporal_}/versioned"
done
