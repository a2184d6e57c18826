import type { RoleVersion } from '@treeos/client'
import { didYouMean, isJsonObject, type Json, readPath, requireRoleName, TreeosError } from '@treeos/core'
import type { ActingOptions, Cli, InstanceOptions } from '../cli.ts'
import { ACT } from '../served/acts.ts'
import { serve } from '../served/serve.ts'
import { BEINGS, CHECK_ROLE, FLOW, ROLE_VERSIONS, ROLES } from '../served/world.ts'
import { shownLint, shownRole, shownRoles, shownRoleVersions } from '../show/world.ts'
import { nameCell } from '../text/csv.ts'
import { UsageError } from '../text/failure.ts'
import {
  addressOfStance,
  readJsonFile,
  readText,
  requireJson,
  requireJsonFile,
  requireStance,
} from '../text/input.ts'
import { acts, doing, ROOT } from './shared/act.ts'
import {
  boundsOf,
  type Columns,
  isAmong,
  isWithin,
  type ListingOptions,
  listsActs,
  tellListed,
} from './shared/list-options.ts'

/** `treeos role`: the roles of beings. */
export function addRole(cli: Cli): void {
  cli.describeGroup('role', 'the roles of beings')
  cli.onInstance('list', 'list all roles, and the beings that could take each', 'role').action(
    cli.run(async (out, options: InstanceOptions) => {
      out.value(await serve(options, ROLES, {}), shownRoles)
    }),
  )
  cli.onInstance('show <name>', 'show one role', 'role').action(
    cli.run(async (out, named: string, options: InstanceOptions) => {
      const name = requireRoleName(named)
      const roles = await serve(options, ROLES, {})
      const found = roles.find((role) => role.name === name)
      if (found !== undefined) return out.value(found, shownRole)
      throw new TreeosError(
        'ROLE_UNAVAILABLE',
        `role ${JSON.stringify(name)} is not registered; \`treeos role list\` shows what is${didYouMean(
          name,
          roles.map((role) => role.name),
        )}`,
      )
    }),
  )
  addRoleVersions(cli)
  acts(
    cli,
    cli
      .asBeing('set <file>', 'create or replace a role; - reads standard input', 'role')
      .option(
        '--trial <file>',
        'keep with this version what its trial came to: the lines of `treeos trial run --json`',
      )
      .option('--candidate <name>', 'with --trial, whose figures, where the trial has several'),
    async (file: string, options: ActingOptions & RoleTrialOptions) => {
      const trial = await trialOf(options)
      const role = await requireJsonFile(file)
      return doing(ROOT, 'set-role', { role, ...(trial === undefined ? {} : { trial }) })
    },
  )
  acts(
    cli,
    cli
      .asBeing('delete <name>', 'delete a role; older moments keep it', 'role')
      .option('--force', 'also when role flows name it'),
    (name: string, { force }: ActingOptions & { force?: true }) =>
      doing(ROOT, 'delete-role', { name, ...(force === true ? { force } : {}) }),
  )
  acts(
    cli,
    cli.asBeing(
      'default <stance> <name>',
      'change the role that a being wears where its flow gives none',
      'role',
    ),
    (stance: string, name: string, options: ActingOptions) =>
      doing(addressOfStance(stance, options), 'set-default-role', { role: requireRoleName(name) }),
  )
  addRoleRename(cli)
  addRoleLint(cli)
}

function addRoleRename(cli: Cli): void {
  cli
    .asBeing(
      'rename <name> <new-name>',
      'give a role another name, with the beings that wear it\nIt writes the role under its new name, changes the flows and the default roles that name it, and deletes the old one. What failed half-way is finished by the same command. Conditions and rules that compare names are not changed.',
      'role',
    )
    .action(
      cli.run(async (out, from: string, to: string, options: ActingOptions) => {
        const as = requireStance(options.as)
        const { renameRole } = await import('../served/rename-role.ts')
        const renamed = await renameRole(
          { from: requireRoleName(from), to: requireRoleName(to) },
          {
            act: (call) => serve(options, ACT, { as, call }),
            roles: () => serve(options, ROLES, {}),
            beings: () => serve(options, BEINGS, {}),
            flowOf: (being) => serve(options, FLOW, { being }),
          },
        )
        out.value(renamed, ({ beings }) =>
          [`${from} is ${to} now`, ...beings.map((stance) => `  ${stance}`)].join('\n'),
        )
      }),
    )
}

const VERSION_COLUMNS: Columns<RoleVersion> = {
  seq: ({ seq }) => seq,
  at: ({ at }) => at,
  by: ({ by }) => nameCell(by),
  deleted: ({ spec }) => spec === null,
}

function addRoleVersions(cli: Cli): void {
  listsActs(
    cli.asBeing(
      'versions <name>',
      'list the versions of a role, with the trials they were published with',
      'role',
    ),
    'role versions',
  ).action(
    cli.run(async (out, named: string, options: ActingOptions & ListingOptions) => {
      const name = requireRoleName(named)
      const as = requireStance(options.as)
      const bounds = boundsOf(options, as)
      const found = (await serve(options, ROLE_VERSIONS, { as, name })).filter(
        ({ at, by }) => isWithin(bounds, at) && isAmong(bounds, [by]),
      )
      tellListed(out, options, found, VERSION_COLUMNS, () => out.value(found, shownRoleVersions))
    }),
  )
}

interface RoleTrialOptions {
  readonly trial?: string
  readonly candidate?: string
}

/**
 * The figures of a trial, without its scores.
 * @throws {UsageError} for a file that holds no summary, or several candidates
 */
async function trialOf({ trial: file, candidate: named }: RoleTrialOptions): Promise<Json | undefined> {
  if (file === undefined) return undefined
  const last = (await readText(file)).trimEnd().split('\n').at(-1) ?? ''
  const candidates = readPath(requireJson(last, `the last line of ${file}`), ['summary', 'candidates'])
  if (!isJsonObject(candidates)) throw new UsageError(`${file} does not end with the summary of a trial`)
  const names = Object.keys(candidates)
  const name = named ?? (names.length === 1 ? names[0] : undefined)
  const found = name === undefined || !Object.hasOwn(candidates, name) ? undefined : candidates[name]
  if (!isJsonObject(found)) throw new UsageError(`--candidate takes one of ${names.join(', ')}`)
  const { scores: _, ...figures } = found
  return figures
}

function addRoleLint(cli: Cli): void {
  cli.onInstance('lint <file>', 'check a role for errors; - reads standard input', 'role').action(
    cli.run(async (out, file: string, options: InstanceOptions) => {
      const role = await readJsonFile(file)
      const lint = await serve(options, CHECK_ROLE, { role })
      out.value(lint, (found) => shownLint(found, 'role'))
      return lint.errors.length > 0 ? 1 : 0
    }),
  )
}
