#!/bin/sh
# Runs at each start. Makes Temporal's tables in a new database, and updates older ones. Current tables stay as they are.
# The tool reads the address of the database from SQL_*.
set -eu
schema=/etc/temporal/schema/postgresql/v12
for database in temporal temporal_visibility; do
  temporal-sql-tool --database "$database" setup-schema --version 0.0
  temporal-sql-tool --database "$database" update-schema --schema-dir "$schema/${database#temporal_}/versioned"
done
