const SELF_AND_MAKERS = ['self', 'ancestor', 'operator']
const MAKERS = ['ancestor', 'operator']
const OWNER = ['owner', 'operator']
const OWNER_AND_GUESTS = ['owner', 'contributor', 'operator']
const ANYONE = ['anyone']

/** Who may call an operation of TreeOS itself where no space has a rule of its own. Operations of extensions are not here. */
export const OPERATIONS: Readonly<Record<'do' | 'be', Readonly<Record<string, readonly string[]>>>> = {
  do: {
    'create-space': OWNER_AND_GUESTS,
    'set-space': OWNER,
    'set-size': OWNER,
    'add-contributor': OWNER,
    'remove-contributor': OWNER,
    'create-matter': OWNER_AND_GUESTS,
    'set-matter': OWNER,
    'write-matter': OWNER,
    'end-matter': OWNER,
    take: OWNER,
    put: ANYONE,
    move: ANYONE,
    'set-being': SELF_AND_MAKERS,
    'set-roleflow': SELF_AND_MAKERS,
    'set-schedule': SELF_AND_MAKERS,
    'delete-schedule': SELF_AND_MAKERS,
    subscribe: SELF_AND_MAKERS,
    unsubscribe: SELF_AND_MAKERS,
    'pause-being': MAKERS,
    'resume-being': MAKERS,
    'accept-difference': MAKERS,
    'end-being': MAKERS,
    'set-budget': MAKERS,
    'unpark-being': MAKERS,
    'set-role': ANYONE,
    'delete-role': ANYONE,
    mediate: ['self'],
    approve: ['self'],
    deny: ['self'],
    vouch: ['self', 'ancestor', 'owner', 'operator'],
    'set-world-signal': ANYONE,
    'grant-namespace': ANYONE,
    'revoke-namespace': ANYONE,
    'cut-thread': ANYONE,
    erase: ['operator'],
  },
  be: { birth: ['self'], connect: ['self'], release: ['self'] },
}
