import { didYouMean, requireRoleName, TreeosError } from '@treeos/core'
import type { ActingOptions, Cli, InstanceOptions } from '../cli.ts'
import { withReality } from '../instance/with-instance.ts'
import { shownLint, shownRole, shownRoles } from '../show/world.ts'
import { readJsonFile, requireJsonFile } from '../text/input.ts'
import { acts, doing, ROOT } from './shared/act.ts'

/** `treeos role`: the roles of beings. */
export function addRole(cli: Cli): void {
  cli.describeGroup('role', 'the roles of beings')
  cli.onInstance('list', 'list all roles, and the beings that could take each', 'role').action(
    cli.run(async (out, options: InstanceOptions) => {
      out.value(await listRoles(options), shownRoles)
    }),
  )
  cli.onInstance('show <name>', 'show one role', 'role').action(
    cli.run(async (out, named: string, options: InstanceOptions) => {
      const name = requireRoleName(named)
      const roles = await listRoles(options)
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
  acts(
    cli,
    cli.asBeing('set <file>', 'create or replace a role; - reads standard input', 'role'),
    async (file: string) => doing(ROOT, 'set-role', { role: await requireJsonFile(file) }),
  )
  acts(
    cli,
    cli
      .asBeing('delete <name>', 'delete a role; older moments keep it', 'role')
      .option('--force', 'also when role flows name it'),
    (name: string, { force }: ActingOptions & { force?: true }) =>
      doing(ROOT, 'delete-role', { name, ...(force === true ? { force } : {}) }),
  )
  addRoleLint(cli)
}

async function listRoles(options: InstanceOptions) {
  const { rolesNamed } = await import('@treeos/world')
  return withReality(options, ({ db }, { roles }) => roles(db, rolesNamed))
}

function addRoleLint(cli: Cli): void {
  cli.onInstance('lint <file>', 'check a role for errors; - reads standard input', 'role').action(
    cli.run(async (out, file: string, options: InstanceOptions) => {
      const role = await readJsonFile(file)
      const { checkRole } = await import('@treeos/client/records')
      const { loadedRegistry } = await import('../instance/connection.ts')
      const lint = checkRole(await loadedRegistry(options), role)
      out.value(lint, (found) => shownLint(found, 'role'))
      return lint.errors.length > 0 ? 1 : 0
    }),
  )
}
