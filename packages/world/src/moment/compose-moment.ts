import type { RoleName } from '@treeos/core'
import { type ComposedRole, composeRoles, type RoleSpec } from '@treeos/roles'
import { type FilledSignature, type Prompt, renderSignature } from '@treeos/signature'
import type { Registry } from '../extend/registry.ts'
import type { Face } from '../read/face.ts'
import { fillMoment, type PromptMoment, type Tool, toolsFor } from './prompt.ts'

/** The composed role of a moment, and the prompt and tools that a model gets for it. */
export interface Composed {
  readonly role: ComposedRole
  /** the Signature of the moment; the call of a model renders it with the overlay, if there is one */
  readonly signature: FilledSignature
  /** its rendering without an overlay: this is recorded */
  readonly prompt: Prompt
  readonly tools: readonly Tool[]
  /** a role whose prompt is code of a version that is not loaded here: this prompt must not be used; null when all are loaded */
  readonly missing: RoleName | null
}

/**
 * Composes the roles of one moment over its face. Live moments, replay and what-if all use it.
 * @param specs of the stack, primary first, as they were pinned when the moment opened
 * @param moment its wake, content and time
 */
export function composeMoment(
  registry: Pick<Registry, 'roles' | 'operations' | 'beOperations'>,
  specs: readonly RoleSpec[],
  face: Face,
  moment: PromptMoment,
): Composed {
  const role = composeRoles(specs.map((spec) => ({ spec, prompt: render(registry, spec, face) })))
  const signature = fillMoment(role, face, moment)
  return {
    role,
    signature,
    prompt: renderSignature(signature, null),
    // Only who asks a model needs them, and they take long to make.
    get tools() {
      return toolsFor(face.surface, role, registry, moment.wake.expectReply)
    },
    missing: specs.find((spec) => !isLoaded(registry, spec))?.name ?? null,
  }
}

/**
 * Renders the prompt of a role. A prompt function that throws renders as empty: a fault in a prompt must not change what the
 * being can do.
 */
function render(registry: Pick<Registry, 'roles'>, spec: RoleSpec, face: Face): string {
  if (typeof spec.prompt === 'string') return spec.prompt
  try {
    return registry.roles.get(spec.name)?.render?.({ me: face.me, face }) ?? ''
  } catch {
    return ''
  }
}

function isLoaded(registry: Pick<Registry, 'roles'>, { name, prompt }: RoleSpec): boolean {
  if (typeof prompt === 'string') return true
  const loaded = registry.roles.get(name)?.spec.prompt
  return typeof loaded === 'object' && loaded.function === prompt.function
}
