import type { BirthForm } from '@treeos/sdk'
import type { LineageConfig } from './config.ts'
import { rolesFor } from './custom-roles.ts'

/** The form by which a person spawns a child in the portal. @param tools number of all tools */
export const spawnForm = (config: LineageConfig, tools: number) =>
  ({
    title: 'A child with a profile',
    action: 'lineage:spawn-child',
    button: 'Spawn it',
    note: `At most ${config.liveChildrenMax} live children of one parent, and ${config.spawnsPerDayMax} spawns within 24 hours.`,
    fields: [
      { name: 'name', label: 'Name' },
      {
        name: 'role',
        label: 'Profile',
        input: 'choice',
        choices: (me) => rolesFor(config, me, tools),
      },
      {
        name: 'specialization',
        label: 'Specialization',
        description: 'Its focus; a part of its prompt',
        input: 'text',
      },
      {
        name: 'message',
        label: 'First message',
        description: 'What it is told at its birth; it begins with that',
        input: 'text',
      },
      {
        name: 'script',
        label: 'Script',
        description: 'Decides for it in place of a model',
        input: 'script',
      },
    ],
  }) as const satisfies BirthForm
