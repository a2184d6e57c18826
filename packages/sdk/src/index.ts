/** All that an extension author needs: roles, operations and scripts as data and pure functions, and one manifest. */
export type { Decision, Json, JsonObject, VerbCall } from '@treeos/core'
export { TreeosError } from '@treeos/core'
export type { Clause, RoleFlow, When } from '@treeos/roles'
export type {
  BeingRow,
  Decided,
  Extension,
  Face,
  Operation,
  OperationInput,
  PatternResolver,
  PromptInput,
  RelationResolver,
  Role,
  Script,
  ScriptInput,
  SeeResolver,
  SpaceRow,
  WorldReader,
} from '@treeos/world'
export { answer, silence } from './decisions.ts'
export { defineExtension, type ExtensionInput } from './define-extension.ts'
export { defineRole, type RoleInput } from './define-role.ts'
