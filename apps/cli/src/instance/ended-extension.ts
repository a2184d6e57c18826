import type { RoleName } from '@treeos/core'
import { endExtension } from '@treeos/reality'
import type { InstanceOptions } from '../cli.ts'
import { asOwner } from './connection.ts'
import { withRegistry } from './with-instance.ts'

/**
 * Ends an extension that no worker has any more, as the owner of the database.
 * @returns names of its roles, which are removed
 * @throws {TreeosError} as endExtension
 */
export const endExtensionOf = (options: InstanceOptions, name: string): Promise<RoleName[]> =>
  withRegistry(options, (at) => asOwner(options, (owner) => endExtension({ ...at, db: owner }, name)))
