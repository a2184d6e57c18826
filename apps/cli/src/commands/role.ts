import { parentPath, parseCall, parseSpacePath, requireRoleName, stanceOf, type VerbCall } from '@treeos/core'
import type { ActingOptions, Cli, InstanceOptions } from '../cli.ts'
import {
  keysOf,
  mayHaveInstance,
  readJsonFile,
  requireJson,
  requireJsonFile,
  requireStance,
  splitKey,
} from '../text/input.ts'
import { prettyJson } from '../text/output.ts'
import { shownDone, shownLint, shownNamespaces, shownRole, shownRoles } from './shared/show.ts'

/** `treeos role | flow | signal | space | move`: what a world is made of. */
export function addAuthoring(cli: Cli): void {
  addRoles(cli)
  addRoleLint(cli)
  addFlows(cli)
  addSignals(cli)
  addSpaces(cli)
}

const ROOT = '/'
const doing = (target: string, action: string, args: object): VerbCall =>
  parseCall({ verb: 'do', target, action, args })

function addRoles(cli: Cli): void {
  cli.describeGroup('role', 'the roles of beings')
  cli.onInstance('list', 'list all roles, and the beings that could take each', 'role').action(
    cli.run(async (out, options: InstanceOptions) => {
      const { listRoles } = await import('./shared/queries.ts')
      out.value(await listRoles(options), shownRoles)
    }),
  )
  cli.onInstance('show <name>', 'show one role', 'role').action(
    cli.run(async (out, name: string, options: InstanceOptions) => {
      const { findRole } = await import('./shared/queries.ts')
      out.value(await findRole(options, requireRoleName(name)), shownRole)
    }),
  )
  cli.asBeing('set <file>', 'create or replace a role; - reads standard input', 'role').action(
    cli.run(async (out, file: string, options: ActingOptions) => {
      const role = await requireJsonFile(file)
      const { actAs } = await import('./shared/act-as.ts')
      out.value(await actAs(options, doing(ROOT, 'set-role', { role })), shownDone)
    }),
  )
  cli
    .asBeing('delete <name>', 'delete a role; older moments keep it', 'role')
    .option('--force', 'also when role flows name it')
    .action(
      cli.run(async (out, name: string, options: ActingOptions & { force?: boolean }) => {
        const args = options.force === true ? { name, force: true } : { name }
        const { actAs } = await import('./shared/act-as.ts')
        out.value(await actAs(options, doing(ROOT, 'delete-role', args)), shownDone)
      }),
    )
}

function addRoleLint(cli: Cli): void {
  cli.command('lint <file>', 'check a role for errors; - reads standard input', 'role').action(
    cli.run(async (out, file: string) => {
      const role = await readJsonFile(file)
      const { lintRole } = await import('@treeos/roles')
      const { listOperations, listExtensions } = await import('./shared/queries.ts')
      const operations = await listOperations()
      const named = (verb: 'do' | 'be') =>
        operations.filter((one) => one.verb === verb).map(({ name }) => name)
      const see = (await listExtensions()).flatMap((extension) => extension.see)
      const lint = lintRole(role, { known: { canDo: named('do'), canBe: named('be'), see } })
      out.value(lint, (found) => shownLint(found, 'role'))
      return lint.errors.length > 0 ? 1 : 0
    }),
  )
}

function addFlows(cli: Cli): void {
  cli.describeGroup('flow', 'role flows: when a being takes which role')
  cli.asBeing('get <stance>', 'show the clauses of a being', 'flow').action(
    cli.run(async (out, stance: string, options: ActingOptions) => {
      const { flowOf } = await import('./shared/queries.ts')
      out.value(await flowOf(options, requireStance(stance, requireStance(options.as))), prettyJson)
    }),
  )
  cli.asBeing('set <stance> <file>', 'replace the clauses of a being; - reads standard input', 'flow').action(
    cli.run(async (out, stance: string, file: string, options: ActingOptions) => {
      const being = requireStance(stance, requireStance(options.as))
      const flow = await requireJsonFile(file)
      const { actAs } = await import('./shared/act-as.ts')
      out.value(await actAs(options, doing(stanceOf(being), 'set-roleflow', { flow })), shownDone)
    }),
  )
  cli.onInstance('lint <file>', 'check clauses for errors; - reads standard input', 'flow').action(
    cli.run(async (out, file: string, options: InstanceOptions) => {
      const flow = await readJsonFile(file)
      const { lintFlow } = await import('@treeos/roles')
      const roles = mayHaveInstance(options)
        ? await (await import('./shared/queries.ts')).knownRoles(options)
        : null
      const lint = lintFlow(flow, roles === null ? {} : { roles })
      out.value(lint, (found) => shownLint(found, 'flow'))
      return lint.errors.length > 0 ? 1 : 0
    }),
  )
}

function addSignals(cli: Cli): void {
  cli.describeGroup('signal', 'world signals, which every role flow can read')
  cli.asBeing('set <key> <json>', 'publish a value at NS.KEY; null removes it', 'signal').action(
    cli.run(async (out, key: string, json: string, options: ActingOptions) => {
      const args = { ...splitKey(key), value: requireJson(json, 'the value') }
      const { actAs } = await import('./shared/act-as.ts')
      out.value(await actAs(options, doing(ROOT, 'set-world-signal', args)), shownDone)
    }),
  )
  for (const [name, what] of [
    ['grant', 'let a being publish in a namespace that you own'],
    ['revoke', 'end what grant gave'],
  ] as const) {
    cli.asBeing(`${name} <namespace> <stance>`, what, 'signal').action(
      cli.run(async (out, namespace: string, stance: string, options: ActingOptions) => {
        const being = stanceOf(requireStance(stance, requireStance(options.as)))
        const { actAs } = await import('./shared/act-as.ts')
        out.value(await actAs(options, doing(ROOT, `${name}-namespace`, { namespace, being })), shownDone)
      }),
    )
  }
  cli.onInstance('owners [namespace]', 'show who publishes where', 'signal').action(
    cli.run(async (out, namespace: string | undefined, options: InstanceOptions) => {
      const { listNamespaces } = await import('./shared/queries.ts')
      out.value(await listNamespaces(options, namespace ?? null), shownNamespaces)
    }),
  )
  cli.onInstance('get [key]', 'show published values: all, of a namespace, or at NS.KEY', 'signal').action(
    cli.run(async (out, key: string | undefined, options: InstanceOptions) => {
      const { signalsOf } = await import('./shared/queries.ts')
      out.value(await signalsOf(options, key === undefined ? [] : keysOf(key)), prettyJson)
    }),
  )
}

function addSpaces(cli: Cli): void {
  cli.describeGroup('space', 'spaces, where beings are')
  cli
    .asBeing('create <path>', 'create a space inside another', 'space')
    .option('--type <type>', 'its type')
    .action(
      cli.run(async (out, path: string, options: ActingOptions & { type?: string }) => {
        const space = parseSpacePath(path)
        const args = { path: space, ...(options.type === undefined ? {} : { type: options.type }) }
        const { actAs } = await import('./shared/act-as.ts')
        out.value(await actAs(options, doing(parentPath(space) ?? ROOT, 'create-space', args)), shownDone)
      }),
    )
  cli
    .asBeing('set <path> <key> <json>', 'set the quality NS.KEY of a space; null removes it', 'space')
    .action(
      cli.run(async (out, path: string, key: string, json: string, options: ActingOptions) => {
        const args = { field: key, value: requireJson(json, 'the value') }
        const { actAs } = await import('./shared/act-as.ts')
        out.value(await actAs(options, doing(path, 'set-space', args)), shownDone)
      }),
    )
  cli.asBeing('move <path>', 'move into another space').action(
    cli.run(async (out, path: string, options: ActingOptions) => {
      const { actAs } = await import('./shared/act-as.ts')
      out.value(await actAs(options, doing(path, 'move', {})), shownDone)
    }),
  )
}
