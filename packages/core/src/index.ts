/** The domain's words. Pure; imports nothing, and is the same in and out of the workflow sandbox. */
export * from './call.ts'
export * from './error.ts'
export * from './fact.ts'
export * from './json.ts'
export * from './limits.ts'
export * from './names.ts'
export * from './stack.ts'
export * from './wake.ts'
