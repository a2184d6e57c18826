#!/usr/bin/env node
/**
 * Brings the database and Temporal's namespace of a worker up to date, and ends: the step before workers of a
 * new version start.
 */
import { prepareServices } from './prepare-services.ts'

console.log(JSON.stringify(await prepareServices(process.env)))
