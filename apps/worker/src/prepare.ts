#!/usr/bin/env node
/**
 * Brings the database and Temporal's namespace of a worker up to date, and ends: the step before workers of a new version start. It
 * takes the environment of a worker, and TREEOS_OWNER_DATABASE_URL, the login that owns the tables. Safe to repeat.
 */
import { NativeConnection } from '@temporalio/worker'
import { treeos } from '@treeos/host'
import { loadExtensions } from './extensions.ts'
import { readSettings } from './settings.ts'
import { locateTemporal } from './start.ts'

const { DATABASE_URL: databaseUrl } = readSettings(process.env)
const {
  TREEOS_OWNER_DATABASE_URL: ownerUrl,
  TREEOS_REALITY: reality,
  TREEOS_TIME_ZONE: timeZone,
} = process.env
const { options, namespace } = locateTemporal(process.env)
const connection = await NativeConnection.connect(options)
try {
  const prepared = await treeos({ extensions: await loadExtensions(process.env), databaseUrl }).prepare({
    connection,
    namespace,
    ...(ownerUrl ? { ownerUrl } : {}),
    ...(reality ? { reality } : {}),
    ...(timeZone ? { timeZone } : {}),
  })
  console.log(JSON.stringify({ reality: prepared.reality.name, taskQueue: prepared.taskQueue }))
} finally {
  await connection.close()
}
