import { defineExtension, defineRole, type Json } from '@treeos/sdk'
import { operationOf, profileOf, promptOf, STOPPED } from './child.ts'
import { configure, type LineageOverride, readOverride } from './config.ts'
import { FILE } from './files.ts'
import { parentOperations } from './parent-operations.ts'
import { type RoleConfig, TOOLS } from './roles.ts'
import { keeper, scene, worker } from './scene.ts'
import { CUSTOM, spawnChild, toolRole } from './spawn.ts'
import { spawnForm } from './spawn-form.ts'
import { toolOperations } from './tools.ts'
import { childrenOf, workOf } from './work.ts'

const ABOUT_CHILDREN =
  'You have children who work for you. Spawn them for what they are good at, and heed what they report.'

/**
 * Makes the extension.
 * @param override of the table of roles, the base interval of heartbeats and the limits
 */
export function defineLineage(override: LineageOverride = {}) {
  const config = configure(override)
  const operations = [spawnChild(config), ...parentOperations(config), ...toolOperations] as const
  const all = operations.map(({ name }) => name)

  const own = {
    canSee: ['~'],
    selfContinue: true,
    prose: 'answers' as const,
    see: ['lineage:work', 'place', 'occupants', 'conversation', 'inbox'],
    views: 'only' as const,
  }
  const answering = [{ rel: 'asker' }, { rel: 'parent' }, { rel: 'lineage:tasker' }]

  /** The role of children of a built-in role: its tools are all that they do. */
  const ofChildren = (name: string, { allowedTools }: RoleConfig) =>
    defineRole({
      ...own,
      name: `lineage:${name}`,
      canDo: (allowedTools?.map(operationOf) ?? all) as typeof all,
      canSummon: allowedTools === undefined ? [...answering, { rel: 'any-child' }] : answering,
      prompt: ({ me }) => promptOf(me),
    })

  return defineExtension({
    name: 'lineage',
    version: '0.0.0',
    ...(Object.keys(override).length === 0 ? {} : { settings: override as Json }),
    carriesOut: ['birth', 'set-schedule', 'delete-schedule', 'set-roleflow', 'end-being'],
    roles: [
      ...Object.entries(config.roles).map(([name, role]) => ofChildren(name, role)),
      defineRole({ ...own, name: CUSTOM, canSummon: answering, prompt: ({ me }) => promptOf(me) }),
      ...TOOLS.map((tool) =>
        defineRole({ name: toolRole(tool), canDo: [operationOf(tool)] as typeof all, prompt: '' }),
      ),
      defineRole({
        ...own,
        name: 'lineage:parent',
        canSee: [...own.canSee, { rel: 'any-child' }],
        see: ['lineage:children', ...own.see],
        canDo: all,
        canSummon: [...answering, { rel: 'any-child' }],
        prompt: ({ me }) => [promptOf(me), ABOUT_CHILDREN].filter((part) => part !== '').join('\n\n'),
      }),
      defineRole({
        name: STOPPED,
        triggerOn: [],
        prompt: 'You are stopped. Your parent starts you again.',
      }),
    ],
    operations,
    scripts: { 'lineage:keeper': keeper, 'lineage:worker': worker },
    scene,
    birthForms: [spawnForm(config, operations.length)],
    matterTypes: { [FILE]: 'a file of a workspace: {path, text}' },
    facets: [{ name: 'role', quality: 'lineage.role' }],
    relations: {
      /** who gave the being the task that it works on */
      'lineage:tasker': ({ me }) => {
        const from = profileOf(me)?.task?.from
        return typeof from === 'string' ? [`@${from}`] : []
      },
    },
    see: {
      'lineage:work': ({ me, world }) => workOf(world, me),
      'lineage:children': ({ me, world }) => childrenOf(world, me),
    },
  })
}

export default defineLineage(readOverride(process.env.TREEOS_LINEAGE))
