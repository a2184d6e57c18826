import { stanceOf, TreeosError } from '@treeos/core'
import { flowPaths, type RoleFlow } from '@treeos/roles'
import type { DecideInput } from '../extend/extension.ts'
import type { BeingRow } from '../rows/rows.ts'

/**
 * A flow reads qualities of the space where its being is, and the roles that it wears show what they are. So
 * whoever sets such a flow must see that space, also who gives it to a child. The being itself is asked in
 * each moment.
 * @throws {TreeosError} FORBIDDEN naming the path and the space
 */
export async function requireSightOfPlace(
  { actor, sees }: Pick<DecideInput, 'actor' | 'sees'>,
  { name, space }: Pick<BeingRow, 'name' | 'space'>,
  flow: RoleFlow,
): Promise<void> {
  const path = flowPaths(flow).find((read) => /^space\.quality(\.|$)/.test(read))
  if (path === undefined || (await sees(space))) return
  throw new TreeosError(
    'FORBIDDEN',
    `the flow reads ${path}, and ${stanceOf(actor.name)} cannot see ${space}, where ${stanceOf(name)} is: ` +
      `let somebody set it who can see ${space}`,
  )
}
