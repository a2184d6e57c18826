import flow from './flow.schema.json' with { type: 'json' }
import role from './role.schema.json' with { type: 'json' }

/** JSON Schema of a flow, for editors: what a shape can say. `lintFlow` also knows sizes, depth and roles. */
export const flowSchema: Readonly<Record<string, unknown>> = flow
/** JSON Schema of a persisted role, for editors; `parseRole` also knows sizes in bytes. */
export const roleSchema: Readonly<Record<string, unknown>> = role
