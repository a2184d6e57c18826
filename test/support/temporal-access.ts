import { readAccess, type TemporalAccess } from '@treeos/local'
import { inject } from 'vitest'

/** How clients reach the Temporal of the tests, with the certificate of callers. */
export const temporalAccess = async (): Promise<TemporalAccess['options']> =>
  (await readAccess(inject('temporalEnv'))).options
