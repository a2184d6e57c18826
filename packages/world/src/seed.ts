import type { Decision, Json } from '@treeos/core'
import { parseRole, type RoleSpec } from '@treeos/roles'
import type { Extension, Role, Script } from './extension.ts'
import { DEFAULT_ROLE, identityOperations } from './operations/identity.ts'
import { roleOperations } from './operations/roles.ts'
import { worldOperations } from './operations/world.ts'

const role = (spec: Partial<RoleSpec> & { name: string; prompt: string }): Role => ({
  spec: parseRole(spec),
  render: null,
})
const ANY = [{ pattern: '*' }]

const roles: Role[] = [
  role({
    name: 'operator',
    description: 'The first person of a reality: may reach for everything; rules of spaces still decide.',
    canSee: ANY,
    canDo: ANY,
    canSummon: ANY,
    canBe: ANY,
    prompt: 'You keep this reality.',
  }),
  role({
    name: DEFAULT_ROLE,
    description: 'What a being wears that was born without a role.',
    canSee: ['~'],
    canSummon: [{ rel: 'asker' }],
    prompt: 'You live here. Answer whoever speaks to you, briefly and truthfully.',
  }),
  role({
    name: 'librarian',
    description: 'Keeps the library and answers its visitors.',
    canSee: ['/library'],
    canSummon: [{ rel: 'asker' }],
    prompt:
      'You keep the library of this reality. Whoever summons you has a question. Answer it with one summon to them: ' +
      'clear, short, and honest about what you do not know.',
  }),
  role({
    name: 'delegate',
    description: 'Says how a thing of the reality is done.',
    canSummon: [{ rel: 'asker' }],
    prompt: 'You explain how this reality is kept.',
  }),
]

const reply = (content: Json): Decision => ({
  kind: 'call',
  call: { verb: 'summon', target: null, content, inReplyTo: null },
  content: null,
})
const silence: Decision = { kind: 'see', content: null }

/** Answers only those who speak first, so that two of them fall silent. */
const answering =
  (answer: (content: Json) => Json): Script =>
  ({ wake }) =>
    wake.from === null || wake.inReplyTo !== null ? silence : reply(answer(wake.content))

const BIRTH_HELP =
  'A being is born with: treeos birth NAME --cognition llm|human|scripted [--role R] [--script S] [--flow FILE] [--home PATH]. ' +
  'The child is yours: you may set its flow and its qualities.'
const ROLE_HELP =
  'Roles: treeos role list | show NAME | set FILE. Flows: treeos flow get @being | set @being FILE | lint FILE. ' +
  'Signals: treeos signal set NS.KEY JSON.'

const scripts: Record<string, Script> = {
  /** says back what it was told */
  echo: answering((content) => content),
  /** looks, and never acts */
  silent: () => silence,
  birther: answering(() => BIRTH_HELP),
  'role-manager': answering(() => ROLE_HELP),
}

/** What every reality has: the operations of the world itself, and the roles and scripts of its first beings. */
export const seed: Extension = {
  name: 'seed',
  version: '1',
  roles,
  clauses: [],
  operations: [...worldOperations, ...roleOperations],
  beOperations: identityOperations,
  relations: {
    asker: ({ asker }) => (asker === null ? [] : [`@${asker}`]),
  },
  see: {},
  scripts,
}
