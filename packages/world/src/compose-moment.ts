import type { Json } from '@treeos/core'
import { type ComposedRole, composeRoles, type RoleSpec } from '@treeos/roles'
import type { Face } from './face.ts'
import { assemblePrompt, type Prompt, type Tool, toolsFor } from './prompt.ts'
import type { Parts } from './registry.ts'

/** One effective role, and the prompt a model gets for it. */
export interface Composed {
  readonly role: ComposedRole
  readonly prompt: Prompt
  readonly tools: readonly Tool[]
}

/**
 * Composes the roles of one moment over its face. The same function for a live moment, for replay and for what-if.
 * @param specs of the stack, primary first, as they were pinned when the moment opened
 * @param content of the wake
 */
export function composeMoment(
  parts: Pick<Parts, 'roles'>,
  specs: readonly RoleSpec[],
  face: Face,
  wake: { readonly openedAt: number; readonly content: Json },
): Composed {
  const role = composeRoles(specs.map((spec) => ({ spec, prompt: render(parts, spec, face) })))
  return {
    role,
    prompt: assemblePrompt(role, face, wake.openedAt, wake.content),
    tools: toolsFor(face.surface),
  }
}

/** A prompt that is a function is code: it can be rendered only where its very version is loaded. */
function render(parts: Pick<Parts, 'roles'>, spec: RoleSpec, face: Face): string {
  if (typeof spec.prompt === 'string') return spec.prompt
  const role = parts.roles.get(spec.name)
  const loaded = role?.spec.prompt
  if (role?.render == null || typeof loaded !== 'object' || loaded.function !== spec.prompt.function) {
    throw new Error(`the prompt of ${spec.name} is code of ${spec.prompt.function}, which is not loaded here`)
  }
  return role.render({ me: face.me, face })
}
