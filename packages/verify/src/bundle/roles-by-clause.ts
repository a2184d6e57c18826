import { type ClauseResult, compileFlow, explainFlow, type FlowInput } from '@treeos/roles'
import { at, type Json } from '../canonical.ts'

/** Roles, each with the index of the clause that gives it; `default` and `asked` are not clauses. */
export type RolesByClause = readonly {
  readonly role: string
  readonly clause: number | 'default' | 'asked'
}[]

/** The roles that a flow gives in the context of an open record, each with the index of its clause. */
export function rolesByClause(program: Json, open: Json): RolesByClause {
  const flow = compileFlow(at(program, 'flow') ?? [])
  const asked = at(open, 'outside') === true ? null : ((at(open, 'asked') ?? null) as string | null)
  const { clauses, primary, source, skip } = explainFlow(flow, {
    ...({
      context: at(open, 'context') ?? {},
      cognition: at(open, 'cognition', 'kind'),
    } as unknown as FlowInput),
    roles: (at(program, 'roles') ?? {}) as unknown as FlowInput['roles'],
    defaultRole: (at(program, 'defaultRole') ?? null) as string | null,
    asked,
  })
  if (skip !== undefined || primary === null || source === null) return []
  const clauseOf = (result: ClauseResult) => clauses.filter((clause) => clause.result === result)
  const first = source === 'clause' ? (clauseOf('primary')[0]?.index ?? 0) : source
  return [
    { role: primary, clause: first },
    ...clauseOf('stacked').map(({ role, index }) => ({ role: String(role), clause: index })),
  ]
}
