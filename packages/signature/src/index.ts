/** Signatures: declarations of model calls. Pure; the rest of the package needs Node. */
export { bareJson, inline, roleBody, rolePrompt, viewBlock } from './data.ts'
export { type FilledSignature, type ModelTool, type Prompt, renderSignature } from './prompt.ts'
export { defineSignature, type Signature, type SignatureInput } from './signature.ts'
export { isSchema, jsonSchemaOf, type Schema, validate } from './standard.ts'
