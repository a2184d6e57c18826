import type { BeingName } from '@treeos/core'
import type { Descriptor } from '@treeos/world'
import { type SeeConnection, withSnapshot } from './seeing.ts'
import { suggesting } from './suggesting.ts'

/**
 * SEE: reads an address as a being, now, and writes nothing. Evaluates the being's flow for the verb `see` and asks both
 * gates.
 * @throws {TreeosError} FORBIDDEN, ADDRESS_PARSE_ERROR, BEING_NOT_FOUND, SPACE_NOT_FOUND; ROLE_UNAVAILABLE when the flow
 *   gives no role
 */
export async function see(at: SeeConnection, as: BeingName, address: string): Promise<Descriptor> {
  return suggesting(
    at,
    as,
    withSnapshot(at, as, (snapshot) => snapshot.see(address)),
  )
}
