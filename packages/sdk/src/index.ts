/**
 * The API for extension authors: roles, operations and scripts as data and pure functions, and one manifest.
 */
export type { Decision, Json, JsonObject, VerbCall } from '@treeos/core'
export { asJson, readPath, sealedId, TreeosError, unknownBeing } from '@treeos/core'
export type { Clause, RoleFlow, When } from '@treeos/roles'
export { defineSignature, type Schema, type Signature, type SignatureInput } from '@treeos/signature'
export type {
  AskSignature,
  BeingRow,
  BirthChoice,
  BirthField,
  BirthForm,
  CarriedCall,
  CarryOut,
  DecidedOperation,
  Extension,
  Face,
  KeepBrought,
  MatterRow,
  Operation,
  OutsideAnswer,
  OutsideFetch,
  OutsideFile,
  OutsideRequest,
  OutsideRun,
  OutsideRunEnd,
  OutsideRunOptions,
  PatternResolver,
  PromptInput,
  RelationResolver,
  Role,
  Script,
  ScriptInput,
  SeeResolver,
  SpaceRow,
  WakeView,
  WorldReader,
} from '@treeos/world'
export { answer, perform, silence, tell } from './decisions.ts'
export { type CalledInput, type CallInput, defineCall } from './define-call.ts'
export { defineExtension, type ExtensionInput, type SceneAct } from './define-extension.ts'
export {
  type AskInput,
  defineOperation,
  type EffectAt,
  type LostCallOutcome,
  type OperationInput,
  type Outcome,
} from './define-operation.ts'
export { defineRole, type RoleInput } from './define-role.ts'
export { defineSkill, defineTask, type Skill, type SkillInput, type TaskShape } from './define-skill.ts'
export { makeMatter, publishSignal, recordFact, setQuality, writeMatter } from './facts.ts'
