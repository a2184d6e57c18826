import type { Cognition, Digest, JsonObject, RoleName } from '@treeos/core'

/**
 * What a moment is evaluated from: the flow of its being, and the roles that the flow names. The workflow
 * holds it.
 */
export interface Program {
  readonly flow: readonly JsonObject[]
  readonly defaultRole: RoleName | null
  /** registered roles only, by name, sorted */
  readonly roles: Readonly<
    Record<
      RoleName,
      {
        /** of the role's spec */
        readonly digest: Digest
        readonly requiredCognition: Cognition | null
        readonly triggerOn?: readonly string[]
      }
    >
  >
}
