import { type BeingName, type Decision, type Json, stanceOf, TreeosError } from '@treeos/core'
import { parseRole, type RoleSpec } from '@treeos/roles'
import type { Extension, Role, Script } from '../extend/extension.ts'
import { BIRTHER, CITIZEN, DEFAULT_ROLE, ROLE_MANAGER, SUBSTRATE_REGISTRY } from '../extend/substrate.ts'
import { approvingOperations } from '../operations/approvals.ts'
import { beingOperations } from '../operations/beings.ts'
import { budgetOperations } from '../operations/budgets.ts'
import { contributorOperations } from '../operations/contributors.ts'
import { differenceOperations } from '../operations/differences.ts'
import { erasingOperations, holdOperations } from '../operations/erasures.ts'
import { identityOperations } from '../operations/identity.ts'
import { fileOperations, matterOperations } from '../operations/matter.ts'
import { roleOperations } from '../operations/roles.ts'
import { wakingOperations } from '../operations/schedules.ts'
import { signalOperations } from '../operations/signals.ts'
import { sizeOperations } from '../operations/size.ts'
import { spaceOperations } from '../operations/spaces.ts'
import { threadOperations } from '../operations/threads.ts'
import { vouchingOperations } from '../operations/vouch.ts'
import type { RelationResolver } from '../read/expand-surface.ts'
import type { SeeResolver } from '../read/face.ts'
import { effectiveCognition } from '../rows/inhabitation.ts'
import type { SubstrateView } from '../rows/lists.ts'
import { type BeingRow, beingKey } from '../rows/rows.ts'
import { parseRequest } from '../verbs/request.ts'
import { occupants, place, things } from '../views/place.ts'
import { conversation, inbox, lastAct, me, threads } from '../views/self.ts'

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
    forceToolCall: true,
    prose: 'answers',
    prompt: 'You live here. Answer whoever speaks to you, briefly and truthfully.',
  }),
  role({
    name: CITIZEN,
    description:
      'What the child of a person wears that was born without a role: a resident. While a person decides for it, it also ' +
      'walks, speaks to its maker and to who is where it is, and writes roles, its flow, its qualities and signals.',
    canSee: ['~', { resolver: 'walked-to' }, { resolver: 'configurators' }],
    canDo: [{ resolver: 'configuring' }],
    canSummon: [{ rel: 'asker' }, { resolver: 'company' }, { resolver: 'configurators' }],
    forceToolCall: true,
    prose: 'answers',
    selfContinue: 'until-answered',
    prompt: 'You live here. Answer whoever speaks to you, briefly and truthfully.',
  }),
  role({
    name: 'librarian',
    description: 'Keeps the library and answers its visitors.',
    canSee: ['/library'],
    canSummon: [{ rel: 'asker' }],
    forceToolCall: true,
    prose: 'answers',
    prompt:
      'You keep the library of this reality. Whoever summons you has a question. Answer it with one summon to them: ' +
      'clear, short, and honest about what you do not know.',
  }),
  role({
    name: 'delegate',
    description: 'Says how a thing of the reality is done.',
    canSummon: [{ rel: 'asker' }],
    prose: 'answers',
    prompt: 'You explain how this reality is kept.',
  }),
  role({
    name: BIRTHER,
    description: 'Mints beings for whoever could mint them alone, and says how it is asked for.',
    canDo: ['mediate'],
    canBe: ['birth'],
    canSummon: [{ rel: 'asker' }],
    prose: 'answers',
    selfContinue: 'until-answered',
    prompt: 'You mint beings for others. Nothing that you do is your own wish.',
  }),
  role({
    name: ROLE_MANAGER,
    description:
      'Writes roles, flows and signals for whoever could write them alone, and shows what there is.',
    canDo: ['mediate', 'set-role', 'delete-role', 'set-roleflow', 'set-world-signal'],
    canSummon: [{ rel: 'asker' }],
    prose: 'answers',
    selfContinue: 'until-answered',
    prompt: 'You keep the roles of this reality for others. Nothing that you do is your own wish.',
  }),
]

const reply = (content: Json): Decision => ({
  kind: 'call',
  call: { verb: 'summon', target: null, content, inReplyTo: null },
  content: null,
})
const silence: Decision = { kind: 'see', content: null }

/** Answers a summon but not an answer, so that two such beings do not answer each other for ever. */
const answering =
  (answer: (content: Json) => Json): Script =>
  ({ wake }) =>
    wake.from === null || wake.inReplyTo !== null ? silence : reply(answer(wake.content))

const BIRTH_HELP =
  'Ask me with {"be": "birth", "name": …, "cognition": "llm" | "human" | "scripted", "role"?, "script"?, "roleFlow"?, "home"?}, ' +
  'or use: treeos birth NAME --cognition llm|human|scripted [--role R] [--script S] [--flow FILE] [--home PATH]. ' +
  'The child is yours: you may set its flow and its qualities.'
const ROLE_HELP =
  'Ask me with {"do": "set-role", "role": {…}}, {"do": "delete-role", "name": …, "force"?}, ' +
  '{"do": "set-roleflow", "target"?: "@being", "flow": […]} or ' +
  '{"do": "set-world-signal", "namespace": …, "key": …, "value": …}, and I do what you might do yourself, no more. ' +
  'SEE @role-manager shows all roles, addresses and operations.'

/** Calls `mediate`, which reads the request from the wake itself; explains itself to anything else. */
const mediating =
  (help: string): Script =>
  (moment) => {
    const { wake } = moment
    let says = help
    try {
      if (wake.inReplyTo === null && parseRequest(wake.content) !== null) says = ''
    } catch (error) {
      if (!(error instanceof TreeosError)) throw error
      says = error.message
    }
    if (says !== '') return answering(() => says)(moment)
    return {
      kind: 'call',
      call: { verb: 'do', operation: 'mediate', target: stanceOf(moment.face.me.name), args: {} },
      content: null,
    }
  }

const scripts: Record<string, Script> = {
  /** answers with the content it was sent */
  echo: answering((content) => content),
  /** looks, and never acts */
  silent: () => silence,
  [BIRTHER]: mediating(BIRTH_HELP),
  [ROLE_MANAGER]: mediating(ROLE_HELP),
}

const operations = [
  ...spaceOperations,
  ...beingOperations,
  ...signalOperations,
  ...contributorOperations,
  ...sizeOperations,
  ...matterOperations,
  ...wakingOperations,
  ...roleOperations,
  ...budgetOperations,
  ...threadOperations,
  ...erasingOperations,
  ...approvingOperations, // last: a model, which cannot use them, is told of the others first
  ...vouchingOperations,
  ...differenceOperations,
  ...fileOperations,
  ...holdOperations,
] as const

/** A DO operation that roles of any extension may name. */
export type SubstrateOperation = (typeof operations)[number]['name']
/** A BE operation of TreeOS. */
export type IdentityOperation = (typeof identityOperations)[number]['name']

const stances = (names: readonly (BeingName | null)[]): string[] =>
  names.flatMap((name) => (name === null ? [] : [stanceOf(name)]))

/** A crowd beyond this is not named in a list. */
const PRESENT_MAX = 200

/** Relationships. They are read from birth facts and the wake, which a being cannot write itself. */
const relations: Extension['relations'] = {
  self: ({ me }) => stances([me.name]),
  /** the being that woke it */
  asker: ({ asker }) => stances([asker]),
  /** its maker */
  parent: ({ me }) => stances([me.parent]),
  /** the space where it is */
  here: ({ me }) => [me.space],
  /** the beings in the space where it is */
  present: async ({ me, world }) => stances(await world.occupants(me.space, PRESENT_MAX)),
  /** its children */
  'any-child': async ({ me, world }) => stances(await world.children(me.name)),
  /** the last living child of its maker before it that has the same default role */
  async predecessor({ me, world }) {
    if (me.parent === null) return []
    const names = await world.children(me.parent)
    await world.prefetch(names.map(beingKey))
    let last: BeingRow | null = null
    for (const name of names) {
      const other = await world.being(name)
      if (other === null || other.ended !== undefined) continue
      if (other.defaultRole !== me.defaultRole || !isBefore(other, me)) continue
      if (last === null || isBefore(last, other)) last = other
    }
    return last === null ? [] : stances([last.name])
  },
}

/** What a being is configured with: it walks to where that is done. */
const CONFIGURING = [
  'move',
  'set-role',
  'delete-role',
  'set-roleflow',
  'set-being',
  'set-world-signal',
  'grant-namespace',
  'revoke-namespace',
  'approve',
  'deny',
  'vouch',
] as const satisfies readonly SubstrateOperation[]

/**
 * Entries that hold only while a person decides for the being with rights of the person's own: not for its
 * own mind, which others speak to, and not under a lease that lends nothing.
 */
const whileConfigured =
  (names: readonly string[]): RelationResolver =>
  ({ me }) =>
    effectiveCognition(me) === 'human' && me.inhabited?.own !== true ? names : []

const resolvers: Extension['resolvers'] = {
  /** operations that configure a being */
  configuring: whileConfigured(CONFIGURING),
  /** beings that it is configured through */
  configurators: whileConfigured(stances([ROLE_MANAGER])),
  /** its maker, and the beings in the space where it is */
  company: async (input) =>
    whileConfigured([...stances([input.me.parent]), ...(await relations.present!(input))])(input),
  /** where it has walked while it is configured */
  'walked-to': (input) => whileConfigured([input.me.space])(input),
}

const isBefore = (a: BeingRow, b: BeingRow): boolean =>
  a.bornAt < b.bornAt || (a.bornAt === b.bornAt && a.name < b.name)

/** What every reality has: the operations of the substrate, and the roles and scripts of the first beings. */
export const seed: Extension = {
  name: SUBSTRATE_REGISTRY,
  // raise it when an operation judges otherwise: replay then knows that older acts were judged by other code
  version: '4',
  roles,
  clauses: [],
  operations,
  beOperations: identityOperations,
  relations,
  patterns: {},
  resolvers,
  see: { me, place, occupants, things, conversation, 'last-act': lastAct, inbox, threads } satisfies Record<
    SubstrateView,
    SeeResolver
  >,
  scripts,
  spaceTypes: {},
  matterTypes: {},
  signals: {},
  schedules: {},
  hooks: {},
  scene: [],
}
