/** Starts Postgres and Temporal on this machine where no address names others. */
export { ensurePostgres, ensureTemporal } from '@treeos/local'
