import { DefaultLogger, Runtime } from '@temporalio/worker'

/**
 * Set up before each test file of `services`. One process runs many files, and Temporal's runtime can be
 * installed once in each.
 */
const installed = Symbol.for('treeos.test.runtime')
const shared = globalThis as { [installed]?: Runtime }
shared[installed] ??= Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: 'ERROR', forward: {} } }, // an outage causes many warnings
  shutdownSignals: [],
})
