import type { Mutation } from './mutants.ts'

const gone = (guard: string, file: string, text: string, instead = ''): Mutation => ({
  guard,
  file,
  text,
  instead,
})
const never = (guard: string, file: string, condition: string): Mutation =>
  gone(guard, file, `if (${condition}`, `if (false && ${condition}`)

/** Every guard that keeps a being from what its makers could not grant. Without any one of them the property must fail. */
export const GUARDS: readonly Mutation[] = [
  // roles
  gone('set-role: within reach', 'operations/roles.ts', 'requireWithinReach(actor, spec, await reach())'),
  never(
    'set-role: by its author or his makers',
    'operations/roles.ts',
    'old !== null && old.author !== actor.name',
  ),
  never('delete-role: by its author or his makers', 'operations/roles.ts', 'old.author !== actor.name'),
  gone(
    'set-role: over all who may wear it',
    'operations/roles.ts',
    'if (old !== null) await requireStandingOverWearers({ actor, lender, world }, spec.name)',
  ),
  gone(
    'delete-role: over all who may wear it',
    'operations/roles.ts',
    'await requireStandingOverWearers({ actor, lender, world }, name)',
  ),
  gone(
    'set-roleflow: within reach',
    'operations/beings.ts',
    'await requireAssignable(world, actor, named, await input.reach())',
  ),
  gone(
    'set-roleflow: of oneself or of whom one made',
    'operations/beings.ts',
    "  targets: ['being'],\n  allow: ['self', 'ancestor', 'operator'],\n  args: { flow:",
    "  targets: ['being'],\n  allow: ['anyone'],\n  args: { flow:",
  ),
  gone(
    'set-roleflow: no ear is left where it sees no more',
    'operations/beings.ts',
    '...(await unseen(world, changed)).map(',
    '...([] as string[]).map(',
  ),
  gone(
    'operations: with the standing of the actor',
    'verbs/resolve-operation.ts',
    'await requireStanding(reader, actor, verb, asked)',
    "''",
  ),
  gone(
    'reach: cut to the ceilings',
    'gates/reach.ts',
    'for (const ceiling of await ceilingsOf(reader, being)) lists = cut(lists, ceiling)',
  ),
  gone('reach: see-resolvers count', 'rows/lists.ts', 'seesAll ? undefined :', 'true ? undefined :'),
  gone(
    'reach: ~ is another place for every wearer',
    'rows/lists.ts',
    " || entry === '~') return",
    ') return',
  ),
  never('reach: so is whoever is at home', 'rows/lists.ts', 'isOfHome(entry)'),
  gone(
    'reach: an entry is compared in the form of the gate',
    'rows/lists.ts',
    'const target = canonicalTarget(list, entry, home)',
    'const target = entry',
  ),
  // births
  gone(
    'birth: within reach',
    'operations/identity.ts',
    'await requireAssignable(world, actor, rolesNamed({ defaultRole, qualities }), await reach())',
  ),
  never('birth: a home that the maker sees', 'operations/identity.ts', '!(await sees(home))'),
  gone(
    'birth: a home that lets the maker in',
    'operations/identity.ts',
    'requireAllowed(await stanceGate(world, question), question)',
  ),
  gone(
    'birth: no line longer than is walked',
    'operations/identity.ts',
    'LINEAGE_MAX = 63',
    'LINEAGE_MAX = 99',
  ),
  never('move: to where one sees', 'operations/beings.ts', 'to !== actor.home && !(await sees(to))'),
  gone(
    'sight: what the lists of the moment hold, below the ceilings',
    'gates/sight.ts',
    "listGate(surface, await ceilingsOf(reader, me), 'canSee', target).allowed",
    'true',
  ),
  // the two gates
  never(
    'gate: the lists',
    'gates/list-gate.ts',
    'entry === undefined)\n    return { allowed: false, by: list',
  ),
  never('gate: the ceilings', 'gates/list-gate.ts', '!isBelow(ceiling, list, target)'),
  gone(
    'gate: only makers are ancestors',
    'gates/stance-gate.ts',
    '.some((maker) => maker.name === elder)',
    '.length > 0',
  ),
  gone(
    'stance: nobody is the owner of all',
    'gates/stance-gate.ts',
    'return owner !== null && (await',
    'return owner !== null || (await',
  ),
  gone(
    'stance: no space says what is done to a being',
    'gates/stance-gate.ts',
    "const toBeing = verb === 'do' && target.being !== null",
    'const toBeing = false',
  ),
  gone(
    'stance: no space says what becomes of a thing',
    'gates/stance-gate.ts',
    'const toOwned = target.owner !== undefined && OWNERS_OWN.has(key)',
    'const toOwned = false',
  ),
  gone(
    'stance: what an outer space forbids',
    'gates/stance-gate.ts',
    'for (const { rule, path, by } of rules) {\n    const as =',
    'for (const { rule, path, by } of rules.filter((one) => one.path === target.space)) {\n    const as =',
  ),
  gone(
    'stance: a ban is for all offspring',
    'gates/stance-gate.ts',
    'for (const actor of [question.actor, ...makers])',
    'for (const actor of [question.actor])',
  ),
  gone(
    'stance: a role counts as given by who may',
    'gates/stance-gate.ts',
    'return isConferred(reader, actor, place, ({ defaultRole }) => defaultRole === property.role)',
    'return actor.defaultRole === property.role',
  ),
  gone(
    'stance: a home counts as given by who may',
    'gates/stance-gate.ts',
    'return isConferred(reader, actor, place, ({ home }) => isWithin(home, place))',
    'return isWithin(actor.home, place)',
  ),
  // what is written
  gone(
    'set-being: of oneself or of whom one made',
    'operations/beings.ts',
    "  targets: ['being'],\n  allow: ['self', 'ancestor', 'operator'],\n  args: {\n    field: 'namespace and key, as in mood.tone'",
    "  targets: ['being'],\n  allow: ['anyone'],\n  args: {\n    field: 'namespace and key, as in mood.tone'",
  ),
  never('set-being: not what other operations keep', 'operations/beings.ts', 'keeper !== undefined'),
  gone(
    'set-being: no flow under the name of a quality',
    'rows/qualities.ts',
    'first === undefined || wrong !== undefined ||',
    'first === undefined ||',
  ),
  gone(
    'end-being: by a maker',
    'operations/beings.ts',
    "allow: ['ancestor', 'operator'],\n  args: {},\n  decide({ target, args }): Decided {\n    new Arguments('end-being'",
    "allow: ['anyone'],\n  args: {},\n  decide({ target, args }): Decided {\n    new Arguments('end-being'",
  ),
  gone(
    'pause-being: by a maker',
    'operations/beings.ts',
    "allow: ['ancestor', 'operator'],\n  args: {},\n  decide({ target, args }): Decided {\n    new Arguments('pause-being'",
    "allow: ['anyone'],\n  args: {},\n  decide({ target, args }): Decided {\n    new Arguments('pause-being'",
  ),
  gone(
    'end-being: nothing is done to who was ended',
    'gates/living.ts',
    'if (being.ended === undefined) return',
    'return',
  ),
  gone(
    'set-space: by who may',
    'operations/spaces.ts',
    "  allow: ['owner', 'operator'],\n  args: {\n    field: 'namespace and key, as in ambient.tone'",
    "  allow: ['anyone'],\n  args: {\n    field: 'namespace and key, as in ambient.tone'",
  ),
  gone(
    'create-space: in the space that was asked',
    'operations/spaces.ts',
    'target.space.path !== parent',
    'false',
  ),
  gone(
    'create-space: by who may',
    'operations/spaces.ts',
    "allow: ['owner', 'contributor', 'operator'],",
    "allow: ['anyone'],",
  ),
  gone(
    'add-contributor: by who may',
    'operations/contributors.ts',
    "and what its rules say.',\n  targets: ['space'],\n  allow: ['owner', 'operator'],",
    "and what its rules say.',\n  targets: ['space'],\n  allow: ['anyone'],",
  ),
  never('set-world-signal: by its publisher', 'operations/signals.ts', '!(await mayPublish(input, owned))'),
  never('grant-namespace: by its owner', 'operations/signals.ts', '!(await mayGrant(input, owned))'),
  gone(
    'signals: nobody takes the namespace of the substrate',
    'operations/signals.ts',
    'isReserved ? OPERATOR : (row?.owner ?? null)',
    'row?.owner ?? null',
  ),
  gone(
    'subscribe: to what one sees',
    'operations/waking.ts',
    'seesScope(canSee, where, being.home)',
    '{ spaces: true, beings: true }',
  ),
  gone(
    'create-matter: by who may',
    'operations/matter.ts',
    "allow: ['owner', 'contributor', 'operator'],",
    "allow: ['anyone'],",
  ),
  gone(
    'set-matter: by who may',
    'operations/matter.ts',
    "null unsets.',\n  targets: ['matter'],\n  allow: ['owner', 'operator'],",
    "null unsets.',\n  targets: ['matter'],\n  allow: ['anyone'],",
  ),
  gone(
    'write-matter: by who may',
    'operations/matter.ts',
    "allow: ['owner', 'operator'],\n  args: { content:",
    "allow: ['anyone'],\n  args: { content:",
  ),
  gone(
    'take: by who may',
    'operations/matter.ts',
    "the actor holds it then.',\n  targets: ['matter'],\n  allow: ['owner', 'operator'],",
    "the actor holds it then.',\n  targets: ['matter'],\n  allow: ['anyone'],",
  ),
  never('take: from where one is', 'operations/matter.ts', '(await liesIn(world, place)) !== actor.space'),
  never('put: what one holds', 'operations/matter.ts', 'place !== stanceOf(actor.name)'),
  // speech
  never(
    'summon: a role that the other may wear',
    'verbs/summon.ts',
    'call.role !== undefined && !rolesNamed',
  ),
  never(
    'summon: an answer to what one was asked',
    'verbs/summon.ts',
    'inReplyTo !== null && (inReplyTo !== wake.id',
  ),
  gone(
    'summon: none but oneself looks back',
    'verbs/summon.ts',
    "asked === undefined || asked === 'forward') return 'forward'",
    "true) return asked ?? 'forward'",
  ),
  // on behalf of others
  gone('mediate: within the lists of the hands', 'verbs/fulfil.ts', 'await requireListed(at, verb, action)'),
  gone(
    'mediate: what the asker could do as it spoke',
    'verbs/fulfil.ts',
    'await requireAsked(at, asker, request, hands.surface)',
    "''",
  ),
  never(
    'mediate: what the asker can do still',
    'verbs/fulfil.ts',
    '!coversEntry(list, reach[list], action, asker.home)',
  ),
  gone(
    'mediate: with the standing of the asker',
    'verbs/fulfil.ts',
    'resolveOperation(at, request, asker)',
    'resolveOperation(at, { ...request, target: request.target ?? stanceOf(asker.name) }, at.me)',
  ),
  gone(
    'mediate: within the reach of the asker',
    'verbs/fulfil.ts',
    'const as = { ...hands,',
    'const as = { ...hands, lender: at.me.name,',
  ),
  gone(
    'mediate: as the asker’s',
    'verbs/fulfil.ts',
    '{ ...fact.payload, onBehalfOf: asker.name }',
    'fact.payload',
  ),
  // driving another
  never('connect: by a person', 'operations/identity.ts', "cognition !== 'human'"),
  never(
    'connect: to one’s own offspring',
    'operations/identity.ts',
    '!(await isAncestor(world, actor.name, child.name))',
  ),
  never('connect: one driver at a time', 'operations/identity.ts', 'child.inhabited?.by != null'),
  gone(
    'connect: each lease has an epoch of its own',
    'operations/identity.ts',
    '(child.inhabited?.epoch ?? 0) + 1',
    '1',
  ),
  never('release: by who may', 'operations/identity.ts', '!may'),
  gone(
    'act: of a mind by itself nobody puts one in',
    'gates/lease.ts',
    "if (me.cognition.kind === 'human') return",
    'return',
  ),
  gone(
    'act: under a lease that still holds',
    'gates/lease.ts',
    'if (now !== null && now === driver) return',
    'return',
  ),
  gone(
    'act: under the epoch that is now',
    'rows/inhabiting.ts',
    ' && inhabited.epoch === lease.epoch ?',
    ' ?',
  ),
  gone('act: by the driver that is', 'rows/inhabiting.ts', 'inhabited.by === lease.driver && ', ''),
  gone(
    'driven: below the ceilings all the same',
    'gates/list-gate.ts',
    'being.ceiling === null ? []',
    'being.ceiling === null || me.inhabited?.by != null ? []',
  ),
  gone(
    'driven: reach is lent to none whom nobody drives',
    'gates/reach.ts',
    'const row = lender === null ? null : await reader.being(lender)',
    "const row = await reader.being(lender ?? (being.inhabited === undefined ? '' : (being.parent ?? '')))",
  ),
  gone(
    'driven: reach is lent to acts of the driver alone',
    'verbs/operate.ts',
    'const lender = lenderOf(me, driver)',
    'const lender = me.inhabited?.by ?? null',
  ),
  gone(
    'driven: a right that was lent is not kept',
    'operations/signals.ts',
    'row === null && isReserved && actor.parent !== null ? { owner: OPERATOR } : {}',
    '{}',
  ),
  gone(
    'mediate: whoever drove the asker as it spoke',
    'verbs/fulfil.ts',
    'const hands = await at.asker()',
    'const then = await at.asker(), driver = asker.inhabited?.by ?? null, hands = then && { ...then, driver, lender: driver }',
  ),
]
