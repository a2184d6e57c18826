import type {
  BeingView,
  BudgetView,
  NamespaceView,
  OperationView,
  RoleVersion,
  RoleView,
} from '@treeos/client'
import type { ExtensionVersionsView } from '@treeos/reality'
import type { Lint } from '@treeos/roles'
import type { Descriptor } from '@treeos/world'
import type { ExtensionView } from '../instance/extension-lists.ts'
import { oneLine, prettyJson, table } from '../text/output.ts'
import { programName } from '../text/program-name.ts'
import { list, short } from './parts.ts'

export function shownSeen(seen: Descriptor): string {
  const { address, identity, size, coord, content, catalogs } = seen
  const rows = [
    ['address', address.being === null ? address.path : `${address.path} ${address.being}`],
    ['type', seen.type],
    ['beings', list(seen.beings)],
    ['things', list(seen.matters)],
    ['spaces', list(seen.children)],
  ]
  if (address.being !== null) {
    rows.push(['made by', list(seen.beingLineage)], ['cognition', identity.cognition ?? '-'])
    rows.push(['default role', identity.defaultRole ?? '-'], ['home', identity.home ?? '-'])
  }
  if (identity.ended !== undefined) rows.push(['ended', identity.ended])
  if (identity.inhabitedBy !== undefined) rows.push(['inhabited by', identity.inhabitedBy])
  if (seen.owner !== undefined) rows.push(['owner', seen.owner ?? '-'])
  if (seen.contributors !== undefined && seen.contributors.length > 0)
    rows.push(['contributors', list(seen.contributors)])
  if (size !== undefined) rows.push(['size', Object.values(size).join(' × ')])
  if (coord !== undefined) rows.push(['coord', Object.values(coord).join(', ')])
  if (catalogs !== undefined)
    rows.push(['catalogs', `${Object.keys(catalogs).join(', ')}: --json shows them`])
  const parts = Object.entries({ content, qualities: seen.qualities }).filter(([, value]) =>
    isSomething(value),
  )
  return [table(rows), ...parts.flatMap(([name, value]) => [name, prettyJson(value)])].join('\n')
}

/** Neither nothing nor empty. */
const isSomething = (value: unknown): boolean =>
  value !== undefined && value !== null && (typeof value !== 'object' || Object.keys(value).length > 0)

export function shownBeings(beings: readonly BeingView[]): string {
  return table(
    beings.map((being) => [
      being.stance,
      lifeOf(being),
      being.space,
      being.defaultRole ?? '-',
      being.parent === null ? 'the first' : `child of ${being.parent}`,
    ]),
  )
}

function lifeOf({ cognition, ended, paused, parked }: BeingView): string {
  if (ended !== undefined) return 'ended'
  if (paused !== undefined) return `${cognition}, paused`
  return parked === undefined ? cognition : `${cognition}, parked by a budget of ${parked.limit}`
}

export function shownBudgets(budgets: readonly BudgetView[]): string {
  const unsure = budgets.flatMap(({ stance, unsure }) =>
    unsure === undefined
      ? []
      : [
          `${stance}: ${unsure.tokens} tokens count for model calls whose cost never came back; \`${programName()} budget release ${stance}\` gives them back`,
        ],
  )
  return [tableOf(budgets), ...unsure].join('\n')
}

function tableOf(budgets: readonly BudgetView[]): string {
  return table([
    ['', 'moments a minute', 'tokens', 'money', 'births', 'per'],
    ...budgets.map(({ stance, for: whose, standard, limits, used }) => {
      const use = (limit: number | undefined, amount: number) =>
        whose === undefined ? `${amount} of ${limit ?? 'any'}` : String(limit ?? 'any')
      const name = whose === undefined ? (stance ?? '-') : `each ${whose}`
      return [
        standard === true ? `${name} (standard)` : name,
        use(limits.momentsPerMinute, used.moments),
        limits.tokensPerPerson === undefined || whose === undefined
          ? use(limits.tokens, used.tokens)
          : `${limits.tokens ?? 'any'}, ${limits.tokensPerPerson} of one person`,
        use(limits.money, used.money),
        use(limits.births, used.births),
        limits.per ?? 'total',
      ]
    }),
  ])
}

export function shownNamespaces(namespaces: readonly NamespaceView[]): string {
  if (namespaces.length === 0) return 'nothing is published, so nobody owns a namespace'
  return table(
    namespaces.map(({ namespace, owner, publishers, reserved }) => [
      namespace,
      owner ?? 'nobody: the first being that publishes here owns it',
      reserved ? 'of an extension or of TreeOS' : '-',
      publishers.length === 0 ? 'granted to nobody' : `granted to ${list(publishers)}`,
    ]),
  )
}

export function shownRoles(roles: readonly RoleView[]): string {
  return table(roles.map(({ name, origin, digest, usedBy }) => [name, origin, short(digest), list(usedBy)]))
}

export function shownRoleVersions(versions: readonly RoleVersion[]): string {
  if (versions.length === 0) return 'its versions are open to those to whom the past of its author is'
  return table(
    versions.map(({ seq, at, by, spec, trial }) => [
      String(seq),
      at,
      by ?? 'an extension',
      spec === null ? 'deleted or erased' : 'written',
      trial === null ? '-' : shownNote(trial),
    ]),
  )
}

/** Figures that the author of a role gave of its trial. */
function shownNote(note: NonNullable<RoleVersion['trial']>): string {
  const percent = (name: string) => `${Math.round(100 * (note[name] ?? 0))}%`
  const parts = ['same', 'refused', 'asks', 'failed'].map((name) => `${percent(name)} ${name}`)
  return `trial of ${note.moments ?? 0} moments: ${parts.join(', ')}`
}

export const shownRole = (role: RoleView): string => prettyJson(role)

/** @param what the whole that was checked: a fault without a path is of this */
export function shownLint({ errors, warnings }: Lint, what: 'flow' | 'role'): string {
  if (errors.length + warnings.length === 0) return 'nothing is wrong with it'
  return [
    ...errors.map((fault) => ['error', fault] as const),
    ...warnings.map((fault) => ['warning', fault] as const),
  ]
    .map(([kind, { path, message }]) => `${kind} ${oneLine(path || what)}: ${oneLine(message)}`)
    .join('\n')
}

export function shownExtensions(extensions: readonly ExtensionView[]): string {
  return extensions
    .map(({ name, version, demo, ...brings }) => {
      const rows = Object.entries(brings).filter(([, names]) => names.length > 0)
      const head = `${name} ${version}${demo ? `, shown by up --demo ${name}` : ''}`
      return [
        head,
        table(
          rows.map(([what, names]) => [what, list(names)]),
          '  ',
        ),
      ].join('\n')
    })
    .join('\n')
}

export function shownVersions(extensions: readonly ExtensionVersionsView[]): string {
  return table([
    ['', 'current', 'workers with it', 'others seen here'],
    ...extensions.map(({ extension, current, workers, versions }) => [
      extension,
      current ?? 'none: it has ended',
      String(workers),
      list(
        versions.filter(({ version }) => version !== current).map((one) => `${one.version} (${one.workers})`),
      ),
    ]),
  ])
}

export function shownUse({
  extension,
  version,
  before,
  workers,
}: {
  readonly extension: string
  readonly version: string
  readonly before: string | null
  readonly workers: number
}): string {
  const now = before === version ? 'is current already' : `is current now, after ${before ?? 'none'}`
  const there = workers === 1 ? '1 worker has it' : `${workers} workers have it`
  return `${extension} ${version} ${now}; ${there}`
}

export function shownOperations(operations: readonly OperationView[]): string {
  return operations
    .map(({ verb, name, origin, description, targets, allow, args }) => {
      const head = `${verb} ${name} (${origin}; on a ${targets.join(' or a ')}; by ${allow.join(' or ')}): ${description}`
      const rows = Object.entries(args).map(([argument, takes]) => [argument, takes])
      return rows.length === 0 ? head : `${head}\n${table(rows, '  ')}`
    })
    .join('\n')
}
