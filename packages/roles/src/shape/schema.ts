import flow from './flow.schema.json' with { type: 'json' }
import role from './role.schema.json' with { type: 'json' }

/** JSON Schema of a flow, for editors. `lintFlow` also checks sizes, depth and roles. */
export const flowSchema: Readonly<Record<string, unknown>> = flow
/** JSON Schema of a stored role, for editors. `parseRole` also checks sizes in bytes. */
export const roleSchema: Readonly<Record<string, unknown>> = role
