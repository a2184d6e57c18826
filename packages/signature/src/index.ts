/** Signatures: declarations of model calls. Pure; the rest of the package needs Node. */
export {
  CARRIERS,
  type CarriedKind,
  type Carrier,
  carry,
  carryData,
  dataOf,
  joinWords,
  type MindData,
  type MindWords,
  type OutsideRule,
} from './carriers.ts'
export { bareJson, inline, roleBody, rolePrompt, viewBlock } from './data.ts'
export { type FilledSignature, type ModelTool, type Prompt, renderSignature } from './prompt.ts'
export { defineSignature, type Signature, type SignatureInput } from './signature.ts'
export { isSchema, jsonSchemaOf, type Schema, validate } from './standard.ts'
