/** Kysely, as this package brings it: one file in place of some hundred. All built packages use this one. */
export * from 'kysely'
export { type Migration, Migrator } from 'kysely/migration'
